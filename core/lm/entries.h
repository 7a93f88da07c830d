// What a model knows of the n-grams of its lists.
#pragma once

#include "lm/build.h"
#include "lm/language_model.h"

namespace calque {

// Throws Error where a list refers to words or contexts that are not there.
void check_lists(const LanguageModel& model, const NgramLists& lists);

// The entry of an n-gram of order n, given by its place in its list; of a word for n = 1. The words
// go to `words`, the last first. Throws Error where the model lacks the n-gram.
LmEntry ngram_entry(const LanguageModel& model, const NgramLists& lists, int n, int32_t index,
                    std::span<int32_t> words);

// The entries of all n-grams of order n. Oracle: tests/test_lm_mixture.py.
void ngram_entries(const LanguageModel& model, const NgramLists& lists, int n,
                   std::span<float> log_probs, std::span<float> backoffs);

}  // namespace calque
