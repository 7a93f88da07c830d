// The language-model score of words whose left context is not known yet, and what to remember of
// them: the shortest left and right sides that decide every continuation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "lm/language_model.h"

namespace calque {

// The first words of a fragment: those whose probabilities depend on what stands before. That is so
// as long as all words so far are an n-gram of the model: with an n-gram the model has what remains
// without its first word, so none reaches beyond a fragment's beginning otherwise (Li & Khudanpur
// 2008, section 3; Heafield et al. 2011).
struct LmLeft {
  std::array<uint64_t, kMaxLmOrder - 1> keys{};   // of the n-gram of the first k + 1 words
  std::array<float, kMaxLmOrder - 1> log_probs{};  // what its last word has scored
  uint8_t length = 0;
  // Words follow that score the same after anything, but for the backoff of what stands before.
  bool is_closed = false;

  bool operator==(const LmLeft& other) const {
    return length == other.length && is_closed == other.is_closed &&
           (length == 0 || keys[length - 1u] == other.keys[length - 1u]);
  }
  uint64_t hash() const {
    return mix((length == 0 ? 0 : keys[length - 1u]) + 2u * length + (is_closed ? 1 : 0));
  }
};

// Equal fragments score alike whatever stands on their left and right.
struct LmFragment {
  LmLeft left;
  LmState right;
};

// The log probability of a word whose left context is not known, and its fragment.
inline float lm_word(const LanguageModel& lm, int32_t word, LmFragment& fragment) {
  fragment.left = {};
  const float log_prob = lm.score(lm.empty(), word, fragment.right);
  if (lm.order() == 1) {
    fragment.left.is_closed = true;
  } else {
    fragment.left.keys[0] = lm_key(word);
    fragment.left.log_probs[0] = log_prob;
    fragment.left.length = 1;
  }
  return log_prob;
}

// Puts the words of a fragment with the sides `left` and `right` behind those of `before`: what the
// log probability of the former changes by. `before` becomes the fragment of both; neither `left` nor
// `right` is part of it. Oracle: tests/test_lm_fragment.py (whole sentences, word by word).
inline float lm_join(const LanguageModel& lm, LmFragment& before, const LmLeft& left,
                     const LmState& right) {
  const int order = lm.order();
  const LmState& context = before.right;
  // Whether all words of `before` and those of `left` so far are an n-gram of the model.
  bool is_open = !before.left.is_closed;
  const int n_before = before.left.length;  // where it is open: all of its words
  std::array<float, kMaxLmOrder - 1> backoffs = context.backoffs;
  int reach = context.length;  // words of the context that still matter
  float change = 0;
  int k = 0;
  for (; k < left.length && (reach > 0 || is_open); ++k) {
    // An n-gram of k + 1 words, which each further word of the context makes longer.
    uint64_t key = left.keys[static_cast<size_t>(k)];
    const float known = left.log_probs[static_cast<size_t>(k)];
    float log_prob = known;
    int matched = 0, next_reach = 0;
    std::array<float, kMaxLmOrder - 1> next_backoffs;
    for (; matched < reach; ++matched) {
      const uint64_t longer = lm_extend(key, context.words[static_cast<size_t>(matched)]);
      const LmSlot* slot = lm.table(k + matched + 2).find(longer);
      if (slot == nullptr) break;
      key = longer;
      log_prob = slot->log_prob;
      if (k + matched + 2 == order) {
        ++matched;
        break;
      }
      next_backoffs[static_cast<size_t>(matched)] = slot->backoff;
      if (lm_matters(slot->backoff)) next_reach = matched + 1;
    }
    const float found = log_prob;
    for (int i = matched; i < reach; ++i) log_prob += backoffs[static_cast<size_t>(i)];
    change += log_prob - known;
    if (is_open) {
      const int length = n_before + k + 1;
      if (matched == n_before && length < order) {
        before.left.keys[static_cast<size_t>(length - 1)] = key;
        before.left.log_probs[static_cast<size_t>(length - 1)] = found;
        before.left.length = static_cast<uint8_t>(length);
      } else {
        is_open = false;
        before.left.is_closed = true;
      }
    }
    reach = next_reach;
    std::copy_n(next_backoffs.begin(), reach, backoffs.begin());
  }
  if (left.is_closed) {
    before.left.is_closed = true;
    for (int i = 0; i < reach; ++i) change += backoffs[static_cast<size_t>(i)];
    before.right = right;
    return change;
  }
  if (reach == 0) {
    before.right = right;
    return change;
  }
  // All words of the fragment and some of the context matter to what follows.
  LmState after = right;
  for (int i = 0; i < reach; ++i) {
    const auto at = static_cast<size_t>(left.length + i);
    after.words[at] = context.words[static_cast<size_t>(i)];
    after.backoffs[at] = backoffs[static_cast<size_t>(i)];
  }
  after.length = static_cast<uint8_t>(left.length + reach);
  before.right = after;
  return change;
}

// The state at the beginning of a sentence as a fragment: nothing can stand before it.
inline LmFragment lm_begin(const LanguageModel& lm) {
  LmFragment fragment;
  fragment.left.is_closed = true;
  fragment.right = lm.begin();
  return fragment;
}

}  // namespace calque
