#include "lm/entries.h"

#include <array>

#include "error.h"

namespace calque {

void check_lists(const LanguageModel& model, const NgramLists& lists) {
  auto n_below = static_cast<size_t>(model.n_words());
  for (const auto& list : lists) {
    for (const Ngram& ngram : list) {
      const bool is_known = ngram.context >= 0 && static_cast<size_t>(ngram.context) < n_below &&
                            ngram.word >= 0 && ngram.word < model.n_words();
      if (!is_known) throw Error("the list of n-grams is not that of the model");
    }
    n_below = list.size();
  }
}

LmEntry ngram_entry(const LanguageModel& model, const NgramLists& lists, int n, int32_t index,
                    std::span<int32_t> words) {
  ngram_words(lists, n, index, words);
  if (n == 1) return model.unigram(words[0]);
  const LmSlot* slot = model.table(n).find(ngram_key(words.first(static_cast<size_t>(n))));
  if (slot == nullptr) throw Error("the list of n-grams is not that of the model");
  return {slot->log_prob, slot->backoff};
}

void ngram_entries(const LanguageModel& model, const NgramLists& lists, int n,
                   std::span<float> log_probs, std::span<float> backoffs) {
  std::array<int32_t, kMaxLmOrder> words;
  for (size_t i = 0; i < log_probs.size(); ++i) {
    const LmEntry entry = ngram_entry(model, lists, n, static_cast<int32_t>(i), words);
    log_probs[i] = entry.log_prob;
    backoffs[i] = entry.backoff;
  }
}

}  // namespace calque
