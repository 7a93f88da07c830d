// Forced decoding by rules: which derivations give the reference.
#pragma once

#include <vector>

#include "blocks/prefix_index.h"
#include "decode/chart/forced_search.h"
#include "decode/forced.h"
#include "decode/leave_one_out.h"
#include "decode/reference_texts.h"
#include "decode/source_text.h"

namespace calque {

struct ChartForcedOptions {
  ChartSpace space;
  ForcedLimits limits;
  PrefixPairs prefixes;
  const LeaveOneOut* leave_one_out;  // what to leave out for sentences with a pair
};

// Searches every sentence without pruning. Words of references are target ids, or -1 - i for the text
// of source word i. Results do not depend on n_threads.
// Oracle: tests/test_chart_forced.py (enumeration).
std::vector<Forced> force_chart(const ModelView& model, const PrefixIndex& index,
                                const WeightView& weights, const ChartForcedOptions& options,
                                const SourceText& source, const ReferenceTexts::Text& references,
                                int n_threads);

}  // namespace calque
