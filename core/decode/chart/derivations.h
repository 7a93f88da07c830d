// Derivations of chart translations, and their features, computed from them alone.
#pragma once

#include <span>
#include <vector>

#include "decode/chart/hypergraph.h"
#include "decode/chart/rules.h"
#include "decode/derivation.h"
#include "decode/model.h"
#include "decode/sparse_features.h"

namespace calque {

// Which edges of the sentence a derivation reaches: a prefix pair has no end, and what may stand in a
// gap neither; nor is it glued to anything, and language models do not know what stands before.
struct SentenceEdges {
  bool begins = true, ends = true;
};

// The `n` best derivations of a graph, in exact order of their scores (ties: in a fixed order).
// With `distinct`, only the first of those that give the same words.
std::vector<Derivation> best_chart_derivations(const Hypergraph& graph, const RuleBook& rules,
                                               const ModelView& model, int n, bool distinct,
                                               const SentenceEdges& edges = {});

// The best way to one vertex as steps.
std::vector<Step> best_chart_steps(const Hypergraph& graph, const RuleBook& rules, int32_t vertex);

// That of a sentence without words: its end.
Derivation empty_chart_derivation(const ModelView& model, const WeightView& weights);

// Throws Error where the steps cannot be those of a derivation of this sentence by this model: where
// spans do not nest and follow each other, or where a step's block is not one of the table with the
// words of its span and the step's target.
void check_chart_steps(const ModelView& model, const SentenceView& sentence,
                       std::span<const Step> steps);

// What each step adds to the dense features, a row per step. A word counts, for language models, in
// the step whose target it stands in; the end of the sentence in the last step that fills no gap.
std::vector<std::vector<double>> chart_step_features(const ModelView& model,
                                                     std::span<const Step> steps,
                                                     const SentenceEdges& edges = {});

// The sum of these rows. Without steps, that of an empty sentence: its end.
std::vector<double> extract_chart_features(const ModelView& model, std::span<const Step> steps,
                                           const SentenceEdges& edges = {});

// The sparse features: those of a block and its place. Rules without words of their own on a side have
// none that look at it.
SparseVector extract_chart_sparse(const ModelView& model, const SentenceView& sentence,
                                  std::span<const Step> steps);

}  // namespace calque
