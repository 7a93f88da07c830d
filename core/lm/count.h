// N-gram counting, one order after the other, in memory that the caller chose.
#pragma once

#include <cstdint>
#include <span>

#include "lm/build.h"

namespace calque {

// Sentence after sentence with its start and end: n_words + 2 * n_sentences tokens. Throws Error
// for an id that is no word of the vocabulary (below 0, n_words or more, the start, the end).
void mark_sentences(std::span<const int32_t> ids, std::span<const int64_t> offsets,
                    int32_t n_words, std::span<int32_t> tokens);

// What one order contributes; spans are as long as there are tokens that end an n-gram, at least.
struct NgramCounts {
  std::span<Ngram> ngrams;
  std::span<int32_t> suffixes;  // index of the n-gram without its first word, in the order below
  std::span<uint32_t> counts;   // adjusted counts, zero on entry
};

// Numbers the distinct n-grams of order n >= 2 by first occurrence and returns how many there are.
// Throws Error where they are more than `out` has room for, or more than 2^31 - 1.
//
// `below[i]` is the index of the (n-1)-gram that ends at token i (for n = 2: the token), `nodes[i]`
// becomes that of the n-gram. Adjusted counts (Chen and Goodman 1998, as lmplz has them): how often
// an n-gram occurs where n is the model's order (`highest`) or where it starts a sentence; else the
// number of different words before it, which the call for the order above adds to `counts_below`.
//
// The n-grams are shared out by hash among `passes` over the tokens, so that the hash table takes a
// fraction of the memory; the result is the same. More than one pass need `renumbering`, zero on
// entry and as long as the other spans. Oracle: tests/test_lm_estimate.py.
int64_t count_ngrams(int n, bool highest, std::span<const int32_t> tokens,
                     std::span<const int32_t> below, std::span<int32_t> nodes,
                     std::span<uint32_t> counts_below, const NgramCounts& out, int passes,
                     std::span<int32_t> renumbering);

// N-grams that were counted in parts of the text, part after part; those of a part by first
// occurrence. Contexts and suffixes are numbered as in the whole text.
struct CountedParts {
  std::span<const Ngram> ngrams;
  std::span<const int32_t> suffixes;
  std::span<const uint32_t> counts;  // as `count_ngrams` leaves them, before it counts the order above
};

// The same as `count_ngrams` from its results for the parts of a text. `nodes` has an entry for each
// of their n-grams. Oracle: tests/test_lm_estimate.py.
int64_t merge_ngrams(int n, const CountedParts& parts, std::span<int32_t> nodes,
                     std::span<uint32_t> counts_below, const NgramCounts& out, int passes,
                     std::span<int32_t> renumbering);

}  // namespace calque
