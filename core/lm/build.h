// The lookup tables of a language model from its list of n-grams.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lm/language_model.h"

namespace calque {

// An n-gram as its context and its last word. The context is an index into the list of the order
// below; of a bigram it is a word. Lists of these hold a model's n-grams in 8 bytes each.
struct Ngram {
  int32_t context;
  int32_t word;
};

// The lists of orders 2, 3, ...; all order-n lists a model has.
using NgramLists = std::vector<std::span<const Ngram>>;

// The words of an n-gram of order n, last word first.
inline void ngram_words(const NgramLists& lists, int n, int32_t index, std::span<int32_t> words) {
  for (int k = 0; k < n - 1; ++k) {
    const Ngram& ngram = lists[static_cast<size_t>(n - k - 2)][index];
    words[k] = ngram.word;
    index = ngram.context;
  }
  words[n - 1] = index;
}

inline uint64_t ngram_key(std::span<const int32_t> words_last_first) {
  uint64_t key = lm_key(words_last_first[0]);
  for (size_t k = 1; k < words_last_first.size(); ++k) key = lm_extend(key, words_last_first[k]);
  return key;
}

// Gives every backoff of 0 its sign: -0.0 where no n-gram of the order above continues the n-gram
// (see LmEntry).
void mark_endings(std::span<const Ngram> above, std::span<float> backoffs);

// Puts the n-grams of order n, the last of `lists`, into `slots`, which are zero and more than the
// n-grams. Throws Error where two n-grams share a key.
void fill_table(const NgramLists& lists, std::span<const float> log_probs,
                std::span<const float> backoffs, std::span<LmSlot> slots);

}  // namespace calque
