// Sentences on many threads, by chart search: the best derivations under given weights.
#pragma once

#include <vector>

#include "blocks/prefix_index.h"
#include "decode/chart/search.h"
#include "decode/constraints.h"
#include "decode/derivation.h"
#include "decode/leave_one_out.h"
#include "decode/reference_texts.h"
#include "decode/source_text.h"

namespace calque {

struct ChartDecodeOptions {
  ChartOptions search;
  TargetLimits limits;
  int n_best;
  bool distinct;
  const LeaveOneOut* leave_one_out;  // what to leave out for sentences with a pair; may be null
};

// Throws Error where a feature looks at the order of blocks, which rules with gaps do not have.
void check_chart_features(const FeatureSet& features);

// Translates every sentence. Results do not depend on n_threads.
std::vector<Decoded> decode_chart(const ModelView& model, const PrefixIndex& index,
                                  const WeightView& weights, const ChartDecodeOptions& options,
                                  const SourceText& source, const Constraints& constraints,
                                  int n_threads);

// The derivations of highest sentence BLEU; the score of a derivation is its BLEU. Nothing else cuts
// than the pop limit of `search` and `limits.max_targets`.
std::vector<Decoded> decode_chart_oracle(const ModelView& model, const PrefixIndex& index,
                                         const ChartDecodeOptions& options, bool brevity_penalty,
                                         const SourceText& source, const ReferenceTexts& references,
                                         int n_threads);

}  // namespace calque
