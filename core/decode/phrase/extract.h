// The features of phrase-based derivations, computed from them alone.
#pragma once

#include <span>
#include <vector>

#include "decode/derivation.h"
#include "decode/model.h"
#include "decode/sparse_features.h"

namespace calque {

// Throws Error where the steps cannot be those of a derivation of this sentence by this model: where
// a span is empty or outside the sentence, or where a step's block is not one of the table with the
// words of the span and the step's target.
void check_steps(const ModelView& model, const SentenceView& sentence, std::span<const Step> steps);

// The dense features of blocks in this order. `ends`: whether the end of the sentence is scored,
// which is so for all but prefixes.
std::vector<double> extract_features(const ModelView& model, const SentenceView& sentence,
                                     std::span<const Step> steps, bool ends = true);

// The sparse ones. Oracle: tests/test_features_families.py (slow references).
SparseVector extract_sparse(const ModelView& model, const SentenceView& sentence,
                            std::span<const Step> steps, bool ends = true);

}  // namespace calque
