// Gold lattices: all derivations that give a reference, as states without scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/gold_lattices.h"
#include "decode/phrase/decoder.h"
#include "decode/phrase/forced_search.h"
#include "decode/phrase/gold_target.h"

namespace calque {

// The states of a lattice, instead of what was there.
void load_states(const GoldView& lattices, size_t at, GoldStates& states);

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
