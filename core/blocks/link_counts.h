// How often words are linked: the word translation tables behind lexical weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blocks/corpus.h"
#include "blocks/pair_map.h"

namespace calque {

// Counts of linked word pairs. A word without links counts as linked to kNull, as in Moses.
class LinkCounts {
 public:
  static constexpr uint32_t kNull = 0xffffffff;
  static constexpr double kFloor = 1e-7;  // stands for pairs that were never linked

  explicit LinkCounts(const AlignedCorpus& corpus);
  // Those of another object: what its `for_each` tells, in any order. Throws Error for a count that
  // is not positive.
  LinkCounts(std::span<const uint32_t> sources, std::span<const uint32_t> targets,
             std::span<const int64_t> counts);

  int64_t count(uint32_t source, uint32_t target) const { return counts_.find(source, target); }
  // Relative frequencies p(source | target) and p(target | source).
  double source_given_target(uint32_t source, uint32_t target) const {
    return ratio(count(source, target), total(target_totals_, target));
  }
  double target_given_source(uint32_t source, uint32_t target) const {
    return ratio(count(source, target), total(source_totals_, source));
  }
  // Calls visit(source, target, count) for every pair, in no particular order.
  template <typename Visit>
  void for_each(Visit visit) const {
    counts_.for_each(visit);
  }

 private:
  static double ratio(int64_t part, int64_t whole) {
    return part > 0 ? static_cast<double>(part) / static_cast<double>(whole) : kFloor;
  }
  // The last entry of the totals is that of kNull.
  static int64_t total(const std::vector<int64_t>& totals, uint32_t word) {
    return word == kNull ? totals.back() : totals[word];
  }
  void add(uint32_t source, uint32_t target, int64_t count);

  PairMap counts_;
  std::vector<int64_t> source_totals_, target_totals_;
};

// Lexical weights of a phrase pair under an inner alignment (bit 8 t + s links source s to target
// t): for every word of one side the mean over its links, or the null word where it has none. Gaps
// count for nothing.
// Oracle: tests/test_blocks_scores.py.
double lexical_source_given_target(const LinkCounts& counts, std::span<const int32_t> source,
                                   std::span<const int32_t> target, uint64_t links);
double lexical_target_given_source(const LinkCounts& counts, std::span<const int32_t> source,
                                   std::span<const int32_t> target, uint64_t links);

}  // namespace calque
