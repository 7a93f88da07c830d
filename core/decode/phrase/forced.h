// Forced decoding: which derivations give the reference.
#pragma once

#include <cstdint>
#include <span>

#include "decode/phrase/decoder.h"
#include "decode/phrase/forced_search.h"

namespace calque {

struct Forced {
  bool reachable = false;    // some derivation gives the whole reference
  bool truncated = false;    // too large to search: counted as not reachable
  int64_t n_states = 0;      // of the gold lattice: those that lead to the end
  double n_derivations = 0;  // of the whole pair, as a real number because it grows exponentially
  int32_t prefix_source = 0, prefix_target = 0;  // longest reachable prefix pair
  Derivation best;           // of the whole pair or else, where asked for, of the prefix pair
};

struct ForcedOptions {
  ReorderingRules reordering;
  ForcedLimits limits;
  int min_prefix;                    // shortest prefix, in source words, that is of use
  bool derive_prefix;                // find the best derivation of the prefix pair
  const LeaveOneOut* leave_one_out;  // what to leave out for sentences with a pair
};

// Searches every sentence without pruning (Yu et al. 2013, sections 3 and 4). Words of references
// are target ids, or -1 - i for the text of source word i. Results do not depend on n_threads.
// Oracle: tests/test_decode_forced.py (enumeration).
std::vector<Forced> force(const ModelView& model, const WeightView& weights,
                          const ForcedOptions& options, const SourceText& source,
                          std::span<const int32_t> references,
                          std::span<const int64_t> reference_offsets, int n_threads);

}  // namespace calque
