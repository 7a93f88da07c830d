#include "lm/language_model.h"

#include "parallel.h"

namespace calque {
namespace {

void score_range(const LanguageModel& model, std::span<const int32_t> ids,
                 std::span<const int64_t> offsets, size_t first, size_t last,
                 std::span<double> sums, std::span<float> log_probs, std::span<uint8_t> matched) {
  for (size_t s = first; s < last; ++s) {
    LmState states[2] = {model.begin(), {}};
    size_t at = static_cast<size_t>(offsets[s]) + s;  // every sentence before added one end
    double sum = 0;
    int now = 0;
    const auto take = [&](int32_t word) {
      int length;
      const float log_prob = model.score(states[now], word, states[1 - now], length);
      now = 1 - now;
      sum += log_prob;
      if (!log_probs.empty()) log_probs[at] = log_prob;
      if (!matched.empty()) matched[at] = static_cast<uint8_t>(length);
      ++at;
    };
    for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      take(ids[i] < 0 || ids[i] >= model.n_words() ? kUnknownWord : ids[i]);
    }
    take(kEndWord);
    sums[s] = sum;
  }
}

}  // namespace

int64_t n_free_slots(std::span<const LmSlot> slots) {
  constexpr uint32_t kExponent = 0x7f800000u;  // all of these bits are set in what is not finite
  int64_t n_free = 0;
  bool is_finite = true;
  for (const LmSlot& slot : slots) {
    n_free += slot.key == 0;
    is_finite &= (std::bit_cast<uint32_t>(slot.log_prob) & kExponent) != kExponent;
    is_finite &= (std::bit_cast<uint32_t>(slot.backoff) & kExponent) != kExponent;
  }
  return is_finite ? n_free : -1;
}

void score_sentences(const LanguageModel& model, std::span<const int32_t> ids,
                     std::span<const int64_t> offsets, int threads, std::span<double> sums,
                     std::span<float> log_probs, std::span<uint8_t> matched) {
  constexpr size_t kSentencesPerChunk = 256;
  for_chunks(sums.size(), kSentencesPerChunk, threads, [&] {
    return [&](size_t first, size_t last) {
      score_range(model, ids, offsets, first, last, sums, log_probs, matched);
    };
  });
}

}  // namespace calque
