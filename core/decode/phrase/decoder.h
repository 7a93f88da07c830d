// Sentences on many threads: the best derivations under given weights, or near references.
#pragma once

#include <vector>

#include "decode/constraints.h"
#include "decode/leave_one_out.h"
#include "decode/phrase/derivations.h"
#include "decode/phrase/option_collector.h"
#include "decode/phrase/search.h"
#include "decode/phrase/translation_graph.h"
#include "decode/reference_texts.h"
#include "decode/source_text.h"

namespace calque {

struct DecodeOptions {
  SearchOptions search;
  OptionLimits limits;
  int n_best;
  bool distinct;
  const LeaveOneOut* leave_one_out;  // what to leave out for sentences with a pair
};

// Translates every sentence. Results do not depend on n_threads.
std::vector<Decoded> decode(const ModelView& model, const WeightView& weights,
                            const DecodeOptions& options, const SourceText& source,
                            const Constraints& constraints, int n_threads);

// What the search of one sentence found, whole.
TranslationGraph decode_graph(const ModelView& model, const WeightView& weights,
                              const DecodeOptions& options, const SourceText& source, size_t at);

// The derivations of highest sentence BLEU; the score of a derivation is its BLEU. Nothing else cuts
// than the stacks of `search`.
std::vector<Decoded> decode_oracle(const ModelView& model, const DecodeOptions& options,
                                   bool brevity_penalty, const SourceText& source,
                                   const ReferenceTexts& references, int n_threads);

}  // namespace calque
