// The block occurrences of one sentence pair: all phrase pairs that its links agree with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "blocks/corpus.h"

namespace calque {

// Half-open spans of the words of a sentence pair.
struct BlockSpan {
  int32_t source_begin, source_end, target_begin, target_end;
};

// The links of one sentence pair, by target word and as extents; reused from pair to pair.
class LinkGrid {
 public:
  void assign(const SentencePair& pair);

  int32_t n_source() const { return static_cast<int32_t>(source_extents_.size()); }
  int32_t n_target() const { return static_cast<int32_t>(target_extents_.size()); }
  std::span<const int32_t> sources_of(int32_t target) const {
    return std::span(sources_).subspan(starts_[target], starts_[target + 1] - starts_[target]);
  }
  // The links of target words in [begin, end).
  int64_t n_links(int32_t begin, int32_t end) const {
    return static_cast<int64_t>(starts_[end] - starts_[begin]);
  }
  // Whether two positions are linked. The corner before both sentences and the corner behind both
  // count as linked, everything else outside does not (as in Moses).
  bool linked(int32_t source, int32_t target) const;

  // Lowest and highest position on the other side; low > high marks a word without links.
  struct Extent {
    int32_t low, high;
    bool empty() const { return low > high; }
  };
  Extent targets_of_source(int32_t source) const { return source_extents_[source]; }
  Extent sources_of_target(int32_t target) const { return target_extents_[target]; }

 private:
  std::vector<Extent> source_extents_, target_extents_;
  std::vector<int32_t> sources_;
  std::vector<size_t> starts_;
};

// Calls visit(BlockSpan) for every consistent phrase pair: both sides have one to max_words words,
// at least one link lies inside, no link leads from inside to outside. Words without links may
// extend either side. Target begins rise, then target ends.
template <typename Visit>
void for_each_block(const LinkGrid& grid, int max_words, Visit visit) {
  for (int32_t t0 = 0; t0 < grid.n_target(); ++t0) {
    LinkGrid::Extent source{grid.n_source(), -1};
    const int32_t last = std::min(grid.n_target(), t0 + max_words);
    for (int32_t t1 = t0 + 1; t1 <= last; ++t1) {
      const LinkGrid::Extent added = grid.sources_of_target(t1 - 1);
      source = {std::min(source.low, added.low), std::max(source.high, added.high)};
      if (source.empty()) continue;
      if (source.high - source.low >= max_words) break;  // longer targets only widen it
      bool inside = true;
      bool reaches_left = false;
      for (int32_t s = source.low; s <= source.high; ++s) {
        const LinkGrid::Extent targets = grid.targets_of_source(s);
        if (targets.empty()) continue;
        reaches_left |= targets.low < t0;
        inside &= targets.low >= t0 && targets.high < t1;
      }
      if (reaches_left) break;  // and longer targets will not take that link in
      if (!inside) continue;
      for (int32_t s0 = source.low; s0 >= 0 && source.high - s0 < max_words; --s0) {
        if (s0 < source.low && !grid.targets_of_source(s0).empty()) break;
        for (int32_t s1 = source.high + 1; s1 <= grid.n_source() && s1 - s0 <= max_words; ++s1) {
          if (s1 - 1 > source.high && !grid.targets_of_source(s1 - 1).empty()) break;
          visit(BlockSpan{s0, s1, t0, t1});
        }
      }
    }
  }
}

}  // namespace calque
