// Interpolated modified Kneser-Ney probabilities from adjusted counts.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "lm/count.h"

namespace calque {

// What is taken off a count of 0, 1, 2, and 3 or more.
using Discounts = std::array<double, 4>;

// How many counts are 1, 2, 3 and 4.
std::array<int64_t, 4> counts_of_counts(std::span<const uint32_t> counts);

// Unigram probabilities: what the discounts took is spread evenly over all words except the start
// of the sentence, seen or not. The start itself has probability 1, as lmplz writes it.
void kneser_ney_unigrams(std::span<const uint32_t> counts, const Discounts& discounts,
                         std::span<float> probs);

// What the n-grams of one context share.
struct ContextMass {
  double sum = 0;    // of their counts
  double taken = 0;  // by the discounts
};

// Probabilities of the n-grams of one order, interpolated with those of the order below, and the
// weight that each context below gives to the order below (Chen and Goodman 1998, equation 27);
// contexts that no n-gram has keep weight 1. `masses`, one per context, are zero on entry.
// Oracle: tests/test_lm_estimate.py.
void kneser_ney(std::span<const Ngram> ngrams, std::span<const int32_t> suffixes,
                std::span<const uint32_t> counts, const Discounts& discounts,
                std::span<const float> probs_below, std::span<ContextMass> masses,
                std::span<float> probs, std::span<float> backoffs_below);

}  // namespace calque
