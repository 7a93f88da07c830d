// Where the blocks of a table lie in sentence pairs, and which of them follow one another.
#pragma once

#include <cstdint>
#include <vector>

#include "blocks/block_table.h"
#include "blocks/corpus.h"
#include "blocks/orientation.h"
#include "blocks/target_index.h"

namespace calque {

struct EventOptions {
  int max_words;        // sentence pairs with a longer side have no events
  int max_placements;   // of one block in one sentence pair; the first ones count
  bool boundary_block;  // an empty block stands before both sentences
};

// Block `block` follows block `previous`: it lies to its right or left on the source side and
// begins where it ends on the target side. Neutral: it follows none.
struct Event {
  int32_t previous;  // -1: none, or the boundary block
  int32_t block;
  int32_t sentence;
  int16_t source_begin, target_begin;  // of `block`
  Side side;
};

// Counts of a block as the one that follows: left, right, neutral.
inline constexpr int kSides = 3;

// The orientation events of a corpus (Tillmann and Zhang 2005): every placement of every block,
// that is, every pair of spans with its words, follows each placement that touches it. Alignments
// are not consulted, placements may overlap. A placement that follows none is neutral; with a
// boundary block, one at the beginning of both sentences lies to the right of it.
//
// Table and corpus must outlive the object. Results do not depend on the number of threads.
// Memory: 12 bytes per target phrase for the index, and per thread 8 per target phrase and 4 per
// source phrase. Oracle: tests/test_features_events.py (all spans, all pairs of placements).
class BlockEvents {
 public:
  BlockEvents(const BlockTable& table, const AlignedCorpus& corpus, const EventOptions& options);

  // The events of sentence pairs first .. last: by sentence, then by placement of the block that
  // follows (source begin, source end, row, target begin), right before left, and by placement of
  // the previous block.
  std::vector<Event> collect(int64_t first, int64_t last, int n_threads) const;

  // Adds those events to `counts`, kSides per block.
  void count(int64_t first, int64_t last, std::span<int32_t> counts, int n_threads) const;

  // The pairs (previous << 32 | block) that follow one another more than `threshold` times in the
  // whole corpus, rising. Only pairs of share `part` of `n_parts` are looked at: memory is 8 bytes
  // per event divided by n_parts.
  std::vector<uint64_t> frequent_pairs(int64_t threshold, uint64_t part, uint64_t n_parts,
                                       int n_threads) const;

  int64_t n_sentences() const { return corpus_.size(); }

 private:
  class Finder;
  void check_range(int64_t first, int64_t last) const;

  BlockTable table_;
  AlignedCorpus corpus_;
  EventOptions options_;
  TargetIndex targets_;
  int max_target_words_ = 0;
};

}  // namespace calque
