// A language model as the decoder sees it: over the ids of target words, whatever its own are.
#pragma once

#include <cstdint>
#include <span>

#include "lm/language_model.h"

namespace calque {

// A view. Target words below 0 (copies of source words, texts outside the vocabulary) are unknown
// to it.
struct TargetLm {
  LanguageModel lm;
  std::span<const int32_t> words;  // the model's word for each target id; empty: the same ids

  int32_t word(int32_t target) const {
    if (target < 0) return kUnknownWord;
    return words.empty() ? target : words[static_cast<size_t>(target)];
  }
  // Whether this is neither a target word nor, below 0, a text.
  bool is_outside(int32_t target) const {
    if (target < 0) return false;
    if (!words.empty()) return static_cast<size_t>(target) >= words.size();
    return target >= lm.n_words();
  }

  LmState begin() const { return lm.begin(); }
  LmState empty() const { return lm.empty(); }
  // The log probability of a target word after `in`, and the state after it; `out` is not `in`.
  double score(const LmState& in, int32_t target, LmState& out) const {
    return static_cast<double>(lm.score(in, word(target), out));
  }
  // The log probability of the end of the sentence.
  double finish(const LmState& in) const {
    LmState after;
    return static_cast<double>(lm.score(in, kEndWord, after));
  }
};

// The weighted log probability of words after a state, and the state after them.
struct LmStep {
  double score;
  LmState state;
};

// `first` weighs the first word, `rest` the others.
inline LmStep score_lm(const TargetLm& lm, LmState state, std::span<const int32_t> words,
                       double first, double rest) {
  LmStep step{0, state};
  double weight = first;
  for (const int32_t word : words) {
    LmState after;
    step.score += weight * lm.score(step.state, word, after);
    step.state = after;
    weight = rest;
  }
  return step;
}

}  // namespace calque
