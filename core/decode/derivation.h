// Derivations: the blocks of a translation in target order, read off the search graph.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/dense.h"
#include "decode/options.h"
#include "decode/search.h"

namespace calque {

struct Step {
  int32_t begin, end;           // half-open source span
  int64_t block;                // row of the block table; -1: the source word is copied
  int orientation;              // towards the previous block
  std::vector<int32_t> target;  // -1 - i: a copy of source word i
};

struct Derivation {
  double score = 0;
  DenseVector features{};
  std::vector<Step> steps;
};

// The `n` best derivations in the recombination graph, in exact order of their scores (ties: in a
// fixed order). With `distinct`, only the first of those that give the same words.
std::vector<Derivation> best_derivations(const Search& search, const OptionTable& table,
                                         const ModelView& model, int n, bool distinct);

// The features of the options in this order: recomputed from the derivation alone.
DenseVector extract_features(const ModelView& model, const std::vector<Step>& steps);

}  // namespace calque
