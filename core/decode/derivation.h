// Derivations: the blocks of a translation in target order, and the features they add up to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/graph.h"
#include "decode/options.h"

namespace calque {

struct Step {
  int32_t begin, end;           // half-open source span
  int64_t block;                // row of the block table; -1: the source word is copied, or required
  bool required;                // the user asked for this target
  FrequencyChange change;       // of the block's frequencies, where its pair is left out
  int orientation;              // towards the previous block
  float log_sum;                // what its score was normalised by; 0: it was not
  std::vector<int32_t> target;  // -1 - i: the text of source word i, or one that a constraint named
};

struct Derivation {
  double score = 0;  // values times weights, minus what the steps were normalised by
  std::vector<double> features;  // in the order of the dense set
  std::vector<Step> steps;
};

// The `n` best derivations of a graph, in exact order of their scores (ties: in a fixed order).
// With `distinct`, only the first of those that give the same words.
std::vector<Derivation> best_derivations(const SearchGraph& graph, const OptionTable& table,
                                         const ModelView& model, int n, bool distinct);

// The best derivation that ends in a hypothesis. `ends` as below.
Derivation derivation_to(const SearchGraph& graph, const OptionTable& table, const ModelView& model,
                         int32_t hypothesis, bool ends);

// A block named by what it translates: the source span [begin, end) and the target words, where
// -1 - i is the text of source word i.
struct SpanTarget {
  int32_t begin, end;
  std::vector<int32_t> target;
};

// The derivation that these blocks make in this order, whether or not the search would find it; it
// obeys no reordering rule. Throws Error where the model lacks a block or where the spans do not
// cover every word once. Oracle: tests/test_moses_agreement.py.
Derivation derive(const ModelView& model, const WeightView& weights, const SentenceView& sentence,
                  std::span<const SpanTarget> blocks, Start start);

// Throws Error where the steps cannot be those of a derivation of this sentence by this model: where
// a span is empty or outside the sentence, or where a step's block is not one of the table with the
// words of the span and the step's target.
void check_steps(const ModelView& model, const SentenceView& sentence, std::span<const Step> steps);

// The features of blocks in this order, computed from the derivation alone. `ends`: whether the end
// of the sentence is scored, which is so for all but prefixes.
std::vector<double> extract_features(const ModelView& model, const SentenceView& sentence,
                                     std::span<const Step> steps, bool ends = true);

}  // namespace calque
