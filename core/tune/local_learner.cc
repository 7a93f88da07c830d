#include "tune/local_learner.h"

#include <algorithm>
#include <cmath>

#include "checks.h"
#include "error.h"
#include "parallel.h"

namespace calque {
namespace {

constexpr size_t kChunk = 4096;  // events

// The candidates of one event with their scores, then with their probabilities.
class Choice {
 public:
  // Looks at the event under these weights; false where it leaves no choice.
  bool look(const LocalProblem& problem, int64_t event, std::span<const double> dense,
            std::span<const double> pairs) {
    const auto set = static_cast<size_t>(problem.sets[event]);
    begin_ = problem.offsets[set];
    n_ = static_cast<size_t>(problem.offsets[set + 1] - begin_);
    truth_ = static_cast<size_t>(problem.truths[event]);
    if (n_ == 1) return false;
    is_neutral_ = side_of(problem.choices[begin_]) == Side::neutral;
    features_.resize(n_);
    scores_.resize(n_);
    const double* weights = dense.data() + first_weight();
    for (size_t j = 0; j < n_; ++j) {
      const int64_t candidate = begin_ + static_cast<int64_t>(j);
      features_[j] = problem.features(candidate);
      double score = 0;
      for (size_t d = 0; d < kLocalDense; ++d) score += weights[d] * features_[j][d];
      const int32_t pair = problem.pairs[candidate];
      scores_[j] = pair < 0 ? score : score + pairs[static_cast<size_t>(pair)];
    }
    return true;
  }

  // Turns scores into probabilities; the loss of the event.
  double normalise() {
    const double best = *std::ranges::max_element(scores_);
    const double of_truth = scores_[truth_];
    double sum = 0;
    for (double& score : scores_) sum += score = std::exp(score - best);
    for (double& score : scores_) score /= sum;
    return std::log(sum) + best - of_truth;
  }

  // The candidate that comes nearest to the truth from below or beats it; n_ if the truth wins.
  size_t rival() const {
    size_t best = n_;
    for (size_t j = 0; j < n_; ++j) {
      if (j != truth_ && (best == n_ || scores_[j] > scores_[best])) best = j;
    }
    return scores_[best] >= scores_[truth_] ? best : n_;
  }

  size_t first_weight() const { return is_neutral_ ? kLocalDense : 0; }
  size_t size() const { return n_; }
  size_t truth() const { return truth_; }
  int64_t begin() const { return begin_; }
  double probability(size_t j) const { return scores_[j]; }
  const LocalVector& features(size_t j) const { return features_[j]; }

 private:
  int64_t begin_ = 0;
  size_t n_ = 0, truth_ = 0;
  bool is_neutral_ = false;
  std::vector<LocalVector> features_;
  std::vector<double> scores_;
};

class Mover {
 public:
  Mover(const LocalProblem& problem, const LocalRates& rates, LocalWeights weights)
      : problem_(problem), rates_(rates), weights_(weights) {}

  // Moves by the features of the truth minus those of every candidate times its probability.
  void follow_gradient(const Choice& choice) {
    LocalVector gradient = choice.features(choice.truth());
    for (size_t j = 0; j < choice.size(); ++j) {
      const double share = choice.probability(j);
      for (size_t d = 0; d < kLocalDense; ++d) gradient[d] -= share * choice.features(j)[d];
      move_pair(choice, j, (j == choice.truth() ? 1 : 0) - share);
    }
    move_dense(choice, gradient);
  }

  void move_from(const Choice& choice, size_t rival) {
    LocalVector difference = choice.features(choice.truth());
    for (size_t d = 0; d < kLocalDense; ++d) difference[d] -= choice.features(rival)[d];
    move_dense(choice, difference);
    move_pair(choice, choice.truth(), 1);
    move_pair(choice, rival, -1);
  }

 private:
  void move_dense(const Choice& choice, const LocalVector& by) {
    const size_t first = choice.first_weight();
    for (size_t d = 0; d < kLocalDense; ++d) {
      weights_.dense[first + d] += rates_.dense[first + d] * by[d];
    }
  }
  void move_pair(const Choice& choice, size_t j, double by) {
    const int32_t pair = problem_.pairs[choice.begin() + static_cast<int64_t>(j)];
    if (pair < 0 || rates_.fixed_pairs[static_cast<size_t>(pair)]) return;
    weights_.pairs[static_cast<size_t>(pair)] += rates_.pairs * by;
  }

  const LocalProblem& problem_;
  const LocalRates& rates_;
  LocalWeights weights_;
};

}  // namespace

void check(const LocalProblem& problem, size_t n_pairs) {
  const size_t n = problem.choices.size();
  check_filled_offsets(problem.offsets, n, "candidates");
  check_size(problem.first.size(), n, "log probabilities of first words");
  check_size(problem.rest.size(), n, "log probabilities of other words");
  check_size(problem.pairs.size(), n, "pairs");
  check_size(problem.truths.size(), problem.n_events(), "true candidates");
  if (problem.values.size() % 4 != 0) throw Error("expected four numbers per block");
  check_ids(problem.choices, static_cast<int64_t>(problem.values.size()), "candidates");
  check_ids(problem.sets, static_cast<int64_t>(problem.offsets.size()) - 1, "sets of events");
  for (const int32_t pair : problem.pairs) {
    if (pair < -1 || pair >= static_cast<int64_t>(n_pairs)) throw Error("pairs are out of range");
  }
  for (const int32_t choice : problem.choices) {
    if ((choice & 3) == 3) throw Error("a candidate lies on no side");
  }
  for (size_t i = 0; i < problem.n_events(); ++i) {
    const auto set = static_cast<size_t>(problem.sets[i]);
    const int64_t size = problem.offsets[set + 1] - problem.offsets[set];
    if (problem.truths[i] < 0 || problem.truths[i] >= size) {
      throw Error("true candidates lie outside their sets");
    }
  }
}

LocalPass local_pass(const LocalProblem& problem, std::span<const int64_t> order, LocalRule rule,
                     const LocalRates& rates, LocalWeights weights) {
  LocalPass pass;
  Choice choice;
  Mover mover(problem, rates, weights);
  for (const int64_t event : order) {
    if (!choice.look(problem, event, weights.dense, weights.pairs)) {
      ++pass.n_alone;
      continue;
    }
    const size_t rival = rule == LocalRule::kPerceptron ? choice.rival() : choice.size();
    pass.loss += choice.normalise();
    if (rule == LocalRule::kLikelihood) mover.follow_gradient(choice);
    else if (rival < choice.size()) mover.move_from(choice, rival);
  }
  return pass;
}

std::vector<double> local_losses(const LocalProblem& problem, std::span<const int64_t> events,
                                 std::span<const double> dense, std::span<const double> pairs,
                                 int n_threads) {
  std::vector<double> losses(events.size());
  for_chunks(events.size(), kChunk, n_threads, [&] {
    return [&, choice = Choice()](size_t begin, size_t end) mutable {
      for (size_t i = begin; i < end; ++i) {
        losses[i] = choice.look(problem, events[i], dense, pairs) ? choice.normalise() : 0;
      }
    };
  });
  return losses;
}

}  // namespace calque
