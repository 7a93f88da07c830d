// Mistakes of the chart search on sentence pairs, and the updates that mend them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blocks/prefix_index.h"
#include "decode/chart/search.h"
#include "decode/gold_lattices.h"
#include "decode/reference_texts.h"
#include "decode/source_text.h"
#include "tune/violation.h"

namespace calque {

struct ChartViolationOptions {
  ChartOptions search;
  TargetLimits limits;
  Selection selection;  // bins are spans, in the order of the search, then what covers the sentence up
                        // to each word; the last one is the whole sentence
  bool all_prefixes;    // words that stand in the reference are good, even if they cannot go on so
  const LeaveOneOut* leave_one_out;
};

// The violations of the pairs or prefix pairs `chosen` (Zhao et al. 2014: max-violation for
// hierarchical phrases). The bin of an update is its number in this order. What stands in a span is
// compared by the features of its rules and by what language models make of its words alone. Results
// do not depend on n_threads. Oracle: tests/test_chart_violation.py (enumeration).
std::vector<Violation> find_chart_violations(const ModelView& model, const PrefixIndex& index,
                                             const WeightView& weights,
                                             const ChartViolationOptions& options,
                                             const SourceText& source,
                                             const ReferenceTexts::Text& references,
                                             const GoldView& lattices,
                                             std::span<const int64_t> chosen, int n_threads);

}  // namespace calque
