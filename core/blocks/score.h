// From counted occurrences to scored, pruned, sorted blocks.
#pragma once

#include <array>
#include <vector>

#include "blocks/link_counts.h"
#include "blocks/phrases.h"
#include "blocks/record.h"

namespace calque {

struct PruneOptions {
  int64_t max_targets;  // blocks kept per source phrase
  int64_t min_count;    // occurrences that a block needs
  double min_log_prob;  // ln p(s|t) and ln p(t|s) that it needs
};

// A stretch of the block table: source phrases in order of their ids, the blocks of each by falling
// score. Rows of fixed width are flat.
struct ScoredBlocks {
  std::vector<uint32_t> source_ids;
  std::vector<int32_t> source_counts;
  std::vector<int32_t> n_blocks;       // per source phrase
  std::vector<uint32_t> target_ids;    // from here on per block
  std::vector<int32_t> joint_counts;
  std::vector<float> scores;               // 4: ln p(s|t), ln lex(s|t), ln p(t|s), ln lex(t|s)
  std::vector<float> orientation;          // 6: ln p of previous mono, swap, disc; next likewise
  std::vector<uint8_t> links;              // 2: source and target position inside the block
  std::vector<int32_t> n_links;
};

// The blocks of source phrases with ids in [first_source, last_source).
//
// The inner alignment of a block is its most frequent one. Ties go, as in Moses, to the alignment
// that is greater when compared target word by target word as lists of source positions; the
// lexical weight p(s|t) sees the mirror image of that rule (source word by source word).
// Orientation probabilities are (count + 0.5) / (total + 1.5). A block with count 0 (fallback.h)
// takes its lexical weights for its relative frequencies.
//
// Pruning drops blocks rarer than min_count, those of less than min_log_prob in either direction,
// but not the last one of a single word, and those beyond the max_targets best by the sum of
// the four scores, ties by target id. A block that was made for a word, which a record
// tells, has count 0 whatever else was counted, and stays.
//
// Rules are scored as blocks are: their lexical weights skip gaps. Unless `oriented`, orientations
// are left out.
// Oracle: tests/test_blocks_scores.py; Moses's own tables: tests/test_blocks_moses_oracle.py.
ScoredBlocks score_blocks(const std::vector<SortedRun>& runs, uint64_t first_source,
                          uint64_t last_source, const Phrases& sources, const Phrases& targets,
                          std::span<const uint32_t> target_counts, const LinkCounts& links,
                          const PruneOptions& prune, bool oriented);

}  // namespace calque
