// Gold lattices: all derivations that give a reference, as states without scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/phrase/decoder.h"
#include "decode/phrase/forced_search.h"
#include "decode/phrase/gold_target.h"

namespace calque {

// Lattices of many sentence pairs, or of prefix pairs where a pair is out of reach. The steps follow
// from the states: any block of the model that leads from one to another and gives the words between.
struct GoldLattices {
  std::vector<int64_t> pairs;                // of each lattice, ascending
  std::vector<int32_t> n_source, n_target;   // words of the pair or of the prefix pair
  std::vector<uint8_t> is_whole;             // 0: of a prefix pair
  std::vector<int64_t> offsets{0};           // where the states of each lattice begin
  std::vector<uint64_t> later;               // of the states: their coverage
  std::vector<uint16_t> first, last_end, n_words;  // .. end of the last block, target words so far
  int64_t n_too_large = 0;                   // pairs that were given up

  size_t size() const { return pairs.size(); }
};

// Some lattices; views.
struct GoldView {
  std::span<const int64_t> pairs;
  std::span<const int32_t> n_source, n_target;
  std::span<const uint8_t> is_whole;
  std::span<const int64_t> offsets;
  std::span<const uint64_t> later;
  std::span<const uint16_t> first, last_end, n_words;

  size_t size() const { return pairs.size(); }
  // The states of a lattice, instead of what was there.
  void load(size_t at, GoldStates& states) const;
};

struct GoldOptions {
  ReorderingRules reordering;
  ForcedLimits limits;
  int min_prefix;      // shortest prefix pair of use, in source words
  bool all_prefixes;   // every prefix pair of a pair out of reach, not only the longest
  const LeaveOneOut* leave_one_out;
};

// The lattices of sentence pairs (Yu et al. 2013, section 3). Words of references are target ids, or
// -1 - i for the text of source word i. Results do not depend on n_threads.
// Oracle: tests/test_decode_gold.py (enumeration).
GoldLattices find_gold(const ModelView& model, const GoldOptions& options, const SourceText& source,
                       const ReferenceTexts::Text& references, int n_threads);

}  // namespace calque
