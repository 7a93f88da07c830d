#include "tune/online_losses.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace calque {

namespace {

// Whether `row` should win rather than `other`: of equal gains the higher score, then the first.
bool is_better(const JudgedSentence& sentence, size_t row, size_t other) {
  const double gain = sentence.gains[row], highest = sentence.gains[other];
  if (gain != highest) return gain > highest;
  const double score = sentence.scores[row], high = sentence.scores[other];
  return score != high ? score > high : row < other;
}

size_t best_of_first(const JudgedSentence& sentence, size_t n) {
  size_t best = 0;
  for (size_t row = 1; row < n; ++row) {
    if (is_better(sentence, row, best)) best = row;
  }
  return best;
}

// The best of the `n` candidates of highest score, the first of equal ones.
size_t best_of_near(const JudgedSentence& sentence, size_t n) {
  std::vector<size_t> rows(sentence.scores.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(n);
  std::nth_element(rows.begin(), end, rows.end(), [&](size_t a, size_t b) {
    const double one = sentence.scores[a], other = sentence.scores[b];
    return one != other ? one > other : a < b;
  });
  return *std::max_element(rows.begin(), end,
                           [&](size_t a, size_t b) { return is_better(sentence, b, a); });
}

// Calls each(truth, share) for the truths that an update is made of.
template <typename Each>
void for_truths(const JudgedSentence& sentence, const Targets& targets, Each each) {
  const size_t n = sentence.n_truths, n_all = sentence.scores.size();
  if (targets.all_truths && n > 0) {
    for (size_t truth = 0; truth < n; ++truth) each(truth, 1.0 / static_cast<double>(n));
  } else if (n == 0 && targets.near > 0 && static_cast<size_t>(targets.near) < n_all) {
    each(best_of_near(sentence, static_cast<size_t>(targets.near)), 1.0);
  } else {
    each(best_of_first(sentence, n > 0 ? n : n_all), 1.0);
  }
}

}  // namespace

double CostmarginLoss::operator()(const JudgedSentence& sentence, std::vector<Share>& shares) const {
  shares.clear();
  double loss = 0;
  for_truths(sentence, targets, [&](size_t truth, double share) {
    bool found = false;
    size_t chosen = 0;
    double highest = 0;
    for (size_t row = sentence.n_truths; row < sentence.scores.size(); ++row) {
      const double gap = sentence.gains[truth] - sentence.gains[row];
      if (!(gap > 0)) continue;
      const double margin = 1 - (sentence.scores[truth] - sentence.scores[row]);
      double worth = gap * margin;
      if (select == Select::kLoss) worth = gap * std::max(0.0, margin) * std::max(0.0, margin);
      if (select == Select::kLiteral) worth = -worth;
      if (!found || worth > highest) found = true, chosen = row, highest = worth;
    }
    if (!found) return;
    const double gap = sentence.gains[truth] - sentence.gains[chosen];
    const double margin =
        std::max(0.0, 1 - (sentence.scores[truth] - sentence.scores[chosen]));
    const double factor = share * gap * (margin_factor ? margin : 1.0);
    if (factor == 0) return;
    shares.emplace_back(truth, factor);
    shares.emplace_back(chosen, -factor);
    loss += factor * margin;
  });
  return loss;
}

double PerceptronLoss::operator()(const JudgedSentence& sentence, std::vector<Share>& shares) const {
  shares.clear();
  size_t chosen = 0;
  for (size_t row = 1; row < sentence.scores.size(); ++row) {
    const double score = sentence.scores[row], highest = sentence.scores[chosen];
    if (score > highest || (score == highest && sentence.gains[row] < sentence.gains[chosen])) {
      chosen = row;
    }
  }
  if (chosen < sentence.n_truths) return 0;
  double loss = 0;
  for_truths(sentence, targets, [&](size_t truth, double share) {
    if (!(sentence.gains[truth] > sentence.gains[chosen])) return;
    shares.emplace_back(truth, share);
    shares.emplace_back(chosen, -share);
    loss += share * (sentence.scores[chosen] - sentence.scores[truth]);
  });
  return loss;
}

}  // namespace calque
