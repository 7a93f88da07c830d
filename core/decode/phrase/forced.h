// Forced decoding by blocks: which derivations give the reference.
#pragma once

#include <cstdint>
#include <span>

#include "decode/forced.h"
#include "decode/phrase/decoder.h"
#include "decode/phrase/forced_search.h"

namespace calque {

struct ForcedOptions {
  ReorderingRules reordering;
  ForcedLimits limits;
  PrefixPairs prefixes;
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
