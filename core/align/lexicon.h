// Word translation probabilities of one direction as rows.
#pragma once

#include <cstdint>
#include <vector>

#include "align/lexical.h"
#include "align/pairs.h"

namespace calque::align {

// The words that given word w generates are words[rows[w] .. rows[w + 1]), ascending, with `probs`;
// `null_probs` are those of every generated word given the null word.
struct Lexicon {
  std::vector<int64_t> rows;
  std::vector<int32_t> words;
  std::vector<float> probs, null_probs;
};

// The rows of source words (kForward) or target words (kReverse). Linear in the pairs.
// Oracle: tests/test_align_model1.py.
Lexicon lexicon(const PairTable& pairs, const Lexical& lexical, Direction direction);

}  // namespace calque::align
