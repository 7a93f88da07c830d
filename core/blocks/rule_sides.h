// The distinct sides of rules, numbered: sorted runs of them, merged.
#pragma once

#include <utility>
#include <vector>

#include "blocks/corpus.h"
#include "blocks/phrase_set.h"
#include "blocks/rules.h"

namespace calque {

// Phrases in order of (length, symbols), each once.
struct SideRun {
  std::span<const int32_t> symbols;
  std::span<const int64_t> offsets;

  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
  std::span<const int32_t> operator[](int64_t i) const {
    return symbols.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

struct CollectedSides {
  PhraseSet sources, targets;
  int64_t next_sentence;  // where to go on: `last`, or earlier where max_sides was reached
};

// The sides of all rules of sentence pairs first .. last, and their single words, stopping behind
// the pair that fills `max_sides` on a side.
CollectedSides collect_sides(const AlignedCorpus& corpus, const RuleLimits& limits, int64_t first,
                             int64_t last, int64_t max_sides);

struct SidesSize {
  int64_t n_sides = 0, n_symbols = 0;
};

// What the phrases of several runs together take, each once. Reads every run from front to back, so
// runs may lie on disk.
SidesSize merged_size(const std::vector<SideRun>& runs);

// Fills arrays of that size with these phrases, in order. Throws Error where the sizes differ.
// Oracle: tests/test_blocks_rules.py (sorted sets of tuples).
void merge_sides(const std::vector<SideRun>& runs, std::span<int32_t> symbols,
                 std::span<int64_t> offsets);

}  // namespace calque
