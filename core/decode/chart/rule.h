// A rule as a chart search applies it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "blocks/gaps.h"
#include "features/dense_set.h"
#include "lm/lm_fragment.h"

namespace calque {

// Words that stand side by side on the target side of a rule, for each language model.
struct RuleRun {
  LmFragment words, classes;
};

// A target side of a rule. A target word w < 0 stands for a copy of source word -1 - w.
struct Rule {
  // Pieces of the target: a run of words, by its number, or a gap, -1 - its number from 0.
  static constexpr size_t kMaxPieces = 2 * kMaxGaps + 1;

  std::span<const int32_t> target;
  int64_t block;   // row of the block table; -1 for a copied word or a required target
  float score;     // weighted features, but for those of the rule's place in a sentence
  float estimate;  // .. and the language models of each run of words by itself
  FrequencyChange change;  // of the block's frequencies, where its pair is left out
  std::array<int32_t, kMaxPieces> pieces;
  uint8_t n_pieces;
  bool required;  // the user asked for it

  // Whether it is more promising than another one; of equal ones, the first row.
  bool scores_better(const Rule& other) const {
    return estimate != other.estimate ? estimate > other.estimate : block < other.block;
  }
};

// A rule at a place in the sentence, with the features that look at it.
struct PlacedRule {
  int32_t rule;
  float score, estimate;
};

}  // namespace calque
