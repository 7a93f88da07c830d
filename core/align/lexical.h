// Word translation probabilities in both directions, learned from expected counts.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "align/pairs.h"

namespace calque::align {

// Sums of expected counts that do not depend on the order of the additions: fixed-point integers,
// which commute where floating-point numbers do not. Threads may add at once. A value of up to 1 is
// kept to within 2^-31; sums reach 2^33.
class Counts {
 public:
  explicit Counts(size_t size) : values_(size, 0) {}

  void add(size_t at, double value) { add_to(values_[at], value); }
  size_t size() const { return values_.size(); }
  int64_t fixed(size_t at) const { return values_[at]; }
  std::span<const int64_t> fixed() const { return values_; }
  void add_fixed(size_t at, int64_t value) { values_[at] += value; }
  double operator[](size_t at) const { return to_double(values_[at]); }
  void clear() { std::fill(values_.begin(), values_.end(), 0); }

  static double to_double(int64_t fixed) { return static_cast<double>(fixed) / kOne; }
  static void add_to(int64_t& sum, double value) {
    const auto fixed = static_cast<int64_t>(value * kOne + 0.5);
    if (fixed != 0) std::atomic_ref(sum).fetch_add(fixed, std::memory_order_relaxed);
  }

 private:
  static constexpr double kOne = 1 << 30;
  std::vector<int64_t> values_;
};

// Expected counts as fixed-point integers, so that those of the parts of a bitext can be added up in
// any order: of pairs of words (two directions side by side), of the null words, and of jumps, each by
// direction. Pairs are those of the table of the part, or some of a larger one.
struct ExpectedCounts {
  std::vector<int64_t> pairs;
  std::array<std::vector<int64_t>, 2> null;
  std::array<std::vector<int64_t>, 2> jumps;
};

// Which side is generated: the target from the source, or the source from the target.
enum Direction : int { kForward = 0, kReverse = 1 };

// p(target | source) and p(source | target) for the pairs of a table, and of every word given the
// null word. Memory: 24 bytes per pair. Oracle: tests/test_align_model1.py.
class Lexical {
 public:
  explicit Lexical(const PairTable& table);

  float prob(size_t pair, Direction direction) const { return pairs_[pair].prob[direction]; }
  float null_prob(int32_t word, Direction direction) const { return null_[direction][word]; }
  void count(size_t pair, Direction direction, float value) {
    Counts::add_to(pairs_[pair].count[direction], value);
  }
  void count_null(int32_t word, Direction direction, float value) {
    null_counts_[direction].add(word, value);
  }

  // Turns the counts into probabilities and clears them. With alpha = 0 these are relative
  // frequencies; otherwise the mean-field estimate under a symmetric Dirichlet prior (alpha per
  // pair), exp(digamma(count + alpha)) over the same of the sum, which starves rare chance pairs.
  void estimate(double alpha, int n_threads);

  // EM over parts of a bitext, each with a table of its own: one `Lexical` has all pairs and gives
  // each part the probabilities of its own; the part counts, and hands its counts over.
  // The probabilities of some pairs, two directions side by side, and given the null word.
  std::vector<float> probs(std::span<const int64_t> pairs) const;
  const std::vector<float>& null_probs(Direction direction) const { return null_[direction]; }
  // Takes the probabilities of all pairs, and of at least as many words given the null word as there
  // are.
  void set_probs(std::span<const float> probs, std::array<std::span<const float>, 2> null);
  // Gives the counts of pairs and null words, which are cleared.
  void take_counts(ExpectedCounts& taken);
  // Adds counts of some pairs, and of the first words given the null word.
  void add_counts(std::span<const int64_t> pairs, std::span<const int64_t> counts,
                  std::array<std::span<const int64_t>, 2> null);

 private:
  // Side by side: EM reads the probabilities of a pair from a random place in memory and soon after
  // adds to its counts, which are then at hand.
  struct Pair {
    float prob[2];
    int64_t count[2];
  };
  const PairTable& table_;
  std::vector<Pair> pairs_;
  std::array<std::vector<float>, 2> null_;
  std::array<Counts, 2> null_counts_;
};

// exp(digamma(x)) for x > 0, to a relative 1e-8.
double exp_digamma(double x);

}  // namespace calque::align
