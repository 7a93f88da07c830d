#include "lm/build.h"

#include <array>

#include "error.h"

namespace calque {

void mark_endings(std::span<const Ngram> above, std::span<float> backoffs) {
  for (float& backoff : backoffs) {
    if (backoff == 0) backoff = -0.0f;
  }
  for (const Ngram& ngram : above) {
    if (backoffs[ngram.context] == 0) backoffs[ngram.context] = 0.0f;
  }
}

void fill_table(const NgramLists& lists, std::span<const float> log_probs,
                std::span<const float> backoffs, std::span<LmSlot> slots) {
  // Slots lie far apart: keys are made a batch ahead, so that the memory arrives in time.
  constexpr size_t kBatch = 64;
  const int n = static_cast<int>(lists.size()) + 1;
  const size_t size = lists.back().size();
  std::array<uint64_t, kBatch> keys;
  std::array<int32_t, kMaxLmOrder> words;
  for (size_t first = 0; first < size; first += kBatch) {
    const size_t batch = std::min(kBatch, size - first);
    for (size_t i = 0; i < batch; ++i) {
      ngram_words(lists, n, static_cast<int32_t>(first + i), words);
      keys[i] = ngram_key(std::span(words).first(static_cast<size_t>(n)));
      keys[i] |= keys[i] == 0;
      __builtin_prefetch(&slots[LmTable::home(keys[i], slots.size())], 1);
    }
    for (size_t i = 0; i < batch; ++i) {
      size_t at = LmTable::home(keys[i], slots.size());
      while (slots[at].key != 0) {
        if (slots[at].key == keys[i]) throw Error("two n-grams share a 64-bit key");
        at = at + 1 == slots.size() ? 0 : at + 1;
      }
      slots[at] = {keys[i], log_probs[first + i], backoffs.empty() ? -0.0f : backoffs[first + i]};
    }
  }
}

}  // namespace calque
