// Derivations of phrase-based translations: from a search, or from given blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/derivation.h"
#include "decode/phrase/graph.h"
#include "decode/phrase/options.h"

namespace calque {

// The `n` best derivations of a graph, in exact order of their scores (ties: in a fixed order).
// With `distinct`, only the first of those that give the same words.
std::vector<Derivation> best_derivations(const SearchGraph& graph, const OptionTable& table,
                                         const ModelView& model, int n, bool distinct);

// The best derivation that ends in a hypothesis. `ends` as in extract_features.
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

}  // namespace calque
