// How far the alignment jumps from one word to the next.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "align/lexical.h"

namespace calque::align {

// The first-order part of an HMM aligner: the probability of going from position `from` to `to`
// among `n` positions is weight(to - from), divided by the sum over the n possible ends; the same
// weights serve every sentence length. Distances beyond +-width share the weight of +-width. The
// first position is chosen in the same way, with weights of its own.
class Jumps {
 public:
  explicit Jumps(int32_t width);
  // `within` has 2 * width + 1 weights for distances -width .. width, `start` has width + 1.
  Jumps(std::span<const float> within, std::span<const float> start);

  int32_t width() const { return static_cast<int32_t>(start_.size()) - 1; }
  std::span<const float> within() const { return within_; }
  std::span<const float> start() const { return start_; }
  size_t bucket(int32_t distance) const {
    return static_cast<size_t>(std::min(std::max(distance, -width()), width()) + width());
  }
  size_t start_bucket(int32_t position) const {
    return static_cast<size_t>(std::min(position, width()));
  }

 private:
  friend class JumpCounts;
  std::vector<float> within_, start_;
};

// Expected numbers of jumps per weight, and of chances to make them: a weight takes part in the
// normalising sum of every jump whose end it could have been.
struct JumpSums {
  explicit JumpSums(int32_t width);
  std::vector<double> within, within_chance, start, start_chance;
};

// What many chunks of sentences add up to, in any order.
class JumpCounts {
 public:
  explicit JumpCounts(int32_t width);

  void add(const JumpSums& sums);
  // New weights from the counts, which are cleared: count over chance, the step of the
  // minorisation-maximisation algorithm for such normalised weights (Hunter 2004, Annals of
  // Statistics 32), under which the likelihood cannot fall; then a mixture with the uniform
  // distribution, which has the share `smoothing`.
  void estimate(Jumps& jumps, double smoothing);

  // All counts in a row, for others to add up; they are cleared.
  std::vector<int64_t> take();
  // Adds what `take` gave elsewhere.
  void add_fixed(std::span<const int64_t> counts);
  size_t size() const { return 2 * (within_.size() + start_.size()); }

 private:
  std::array<Counts*, 4> all() { return {&within_, &within_chance_, &start_, &start_chance_}; }

  Counts within_, within_chance_, start_, start_chance_;
};

}  // namespace calque::align
