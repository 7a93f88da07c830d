// Which sentence pairs derivations by rules give, or which prefix pairs of them.
#pragma once

#include "blocks/prefix_index.h"
#include "decode/chart/forced_search.h"
#include "decode/forced.h"
#include "decode/gold_lattices.h"
#include "decode/leave_one_out.h"
#include "decode/reference_texts.h"
#include "decode/source_text.h"

namespace calque {

struct ChartGoldOptions {
  ChartSpace space;
  ForcedLimits limits;
  int min_prefix;     // shortest prefix pair of use, in source words
  bool all_prefixes;  // every prefix pair of a pair out of reach, not only the longest
  const LeaveOneOut* leave_one_out;
};

// The pairs and prefix pairs that are in reach, without states: the search that finds their derivations
// costs less than to decode them. Results do not depend on n_threads.
// Oracle: tests/test_chart_violation.py (enumeration).
GoldLattices find_chart_gold(const ModelView& model, const PrefixIndex& index,
                             const ChartGoldOptions& options, const SourceText& source,
                             const ReferenceTexts::Text& references, int n_threads);

}  // namespace calque
