// Where blocks lie towards merged blocks in a word-aligned corpus: the counts behind the hierarchical
// reordering model (Galley & Manning 2008).
#pragma once

#include <cstdint>
#include <vector>

#include "blocks/block_table.h"
#include "blocks/consistent.h"
#include "blocks/corpus.h"
#include "blocks/orientation.h"

namespace calque {

// The corners of all phrase pairs of one sentence pair, of any length, that its links agree with. A
// block is monotone towards what comes before it where one of them ends at its first corner on both
// sides, swapped where one ends there on the target side and begins where the block ends on the source
// side, and discontinuous otherwise; never both, because two phrase pairs that share a target word
// share a source word. What comes behind: the mirror image. The sentences begin and end with an empty
// pair each. Reused from pair to pair.
class MergedCorners {
 public:
  void assign(const LinkGrid& grid);

  Orientation previous(const BlockSpan& block) const;
  Orientation next(const BlockSpan& block) const;

 private:
  // Where a phrase pair lies that touches a point between words, source before target.
  enum Touch : uint8_t { kBeforeBefore = 1, kAfterBefore = 2, kAfterAfter = 4, kBeforeAfter = 8 };

  uint8_t& at(int32_t source, int32_t target) {
    return touches_[static_cast<size_t>(source) * width_ + static_cast<size_t>(target)];
  }
  bool has(int32_t source, int32_t target, Touch touch) const {
    return (touches_[static_cast<size_t>(source) * width_ + static_cast<size_t>(target)] & touch) != 0;
  }

  size_t width_ = 0;
  std::vector<uint8_t> touches_;
};

// How often every block of the table was monotone, swapped and discontinuous towards what comes before
// it, and likewise behind it: 6 per block. Counted in the corpus that the table was extracted from
// with this `max_words`, once for every set of links. Does not depend on the number of threads.
// Oracle: tests/test_features_hierarchical.py (all pairs of phrase pairs).
std::vector<int32_t> merged_orientation_counts(const BlockTable& table, const AlignedCorpus& corpus,
                                               int max_words, int n_threads);

}  // namespace calque
