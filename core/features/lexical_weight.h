// How well the words of a block's source side are explained by those of its target side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blocks/block_table.h"

namespace calque {

// p(source word | target word) as rows per target word: words rise within a row. Target words
// beyond the rows have none.
struct WordLexicon {
  std::span<const int64_t> offsets;
  std::span<const int32_t> words;
  std::span<const float> probs;

  float prob(int32_t source, int32_t target) const;
};

// Per block the sum over its source words of ln of the mean of p(source word | target word) over
// those target words that can generate it at all (p > 0); the mean is at least `floor`, also where
// no word can. Alignments play no part. Oracle: tests/test_features_lexical.py.
std::vector<float> lexical_weights(const BlockTable& table, const WordLexicon& lexicon,
                                   double floor, int n_threads);

}  // namespace calque
