// Learning to choose the block that follows, one event at a time (Tillmann & Zhang 2005).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tune/local_sets.h"

namespace calque {

// Dense features of a candidate: ln p(block), ln p(side | block), ln p(first word), ln p(other
// words), lexical weight. Neutral events have weights of their own, and 0 in place of the second.
inline constexpr size_t kLocalDense = 5;
using LocalVector = std::array<double, kLocalDense>;

// Sets and events as LocalSetBuilder makes them: a view. `values` holds four numbers per block: ln
// p(block), ln p(right | block), ln p(left | block), lexical weight.
struct LocalProblem {
  std::span<const int64_t> offsets;
  std::span<const int32_t> choices;
  std::span<const float> first, rest;
  std::span<const int32_t> pairs;
  std::span<const int32_t> sets, truths;
  std::span<const float> values;

  size_t n_events() const { return sets.size(); }
  LocalVector features(int64_t candidate) const {
    const int32_t choice = choices[candidate];
    const float* block = values.data() + 4 * static_cast<size_t>(block_of(choice));
    const Side side = side_of(choice);
    const float orientation = side == Side::right ? block[1] : side == Side::left ? block[2] : 0;
    return {block[0], orientation, first[candidate], rest[candidate], block[3]};
  }
};

// Throws Error where arrays do not belong together, or a pair is not below `n_pairs`.
void check(const LocalProblem& problem, size_t n_pairs);

// Weights of the dense features of events on either side, of those of neutral events, and of pairs.
struct LocalWeights {
  std::span<double> dense;  // 2 * kLocalDense
  std::span<double> pairs;
};

// How far a weight moves; where the rate is 0 it stays.
struct LocalRates {
  std::span<const double> dense;         // 2 * kLocalDense
  double pairs;
  std::span<const uint8_t> fixed_pairs;  // per pair
};

enum class LocalRule { kLikelihood, kPerceptron };

struct LocalPass {
  double loss = 0;      // of every event before its update, summed
  int64_t n_alone = 0;  // events with a single candidate: nothing to learn, and a loss of 0
};

// Goes through the events of `order` one after the other. With x the features of the truth, x_j
// those of candidate j and p_j its probability exp(w.x_j) / sum:
// - kLikelihood: w += rate * sum_j p_j (x - x_j), a step down the gradient of -ln p (eq. 9);
// - kPerceptron: w += rate * (x - x_j) for the first j of smallest w.(x - x_j), if that is <= 0.
// The loss is -ln p, whatever the rule. Oracle: tests/test_tune_local_learner.py.
LocalPass local_pass(const LocalProblem& problem, std::span<const int64_t> order, LocalRule rule,
                     const LocalRates& rates, LocalWeights weights);

// The loss of every event of `events` under weights that stay as they are.
std::vector<double> local_losses(const LocalProblem& problem, std::span<const int64_t> events,
                                 std::span<const double> dense, std::span<const double> pairs,
                                 int n_threads);

}  // namespace calque
