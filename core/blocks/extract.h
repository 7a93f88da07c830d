// Block occurrences of a stretch of the corpus, counted.
#pragma once

#include <vector>

#include "blocks/block_table.h"
#include "blocks/corpus.h"
#include "blocks/record.h"
#include "blocks/rules.h"

namespace calque {

// The phrase ids of both sides as number_phrases gives them.
struct PhraseIds {
  std::span<const uint32_t> source;
  std::span<const uint32_t> target;
};

struct Extracted {
  std::vector<Record> run;  // sorted, no two of the same kind
  int64_t next_sentence;    // where to go on: `last`, or earlier where max_records was reached
};

// Counts the blocks of sentence pairs first .. last, stopping behind the pair that fills
// `max_records`. A block counts once for every set of links that it is consistent with. Every
// occurrence also adds one to its target phrase in `target_counts`, which
// several threads may share.
//
// Orientation to the previous block: monotone if the words at the upper left corner of the block
// are linked, swap if those at the upper right are (and the left are not), else discontinuous; to
// the next block likewise at the lower corners.
//
// Oracle: tests/test_blocks_extract.py (all pairs of spans, checked one by one).
Extracted extract(const AlignedCorpus& corpus, const PhraseIds& ids, int max_words, int64_t first,
                  int64_t last, int64_t max_records, std::span<uint32_t> target_counts);

// Likewise the rules, blocks without gaps among them, with the ids of their sides in these indexes,
// which must hold all of them (rule_sides.h). A rule counts once for every place where RuleFinder
// finds it. Orientations mean nothing. Oracle: tests/test_blocks_rules.py.
Extracted extract_rules(const AlignedCorpus& corpus, const PhraseIndex& sources,
                        const PhraseIndex& targets, const RuleLimits& limits, int64_t first,
                        int64_t last, int64_t max_records, std::span<uint32_t> target_counts);

}  // namespace calque
