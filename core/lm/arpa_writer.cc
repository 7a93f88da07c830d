#include "lm/arpa_writer.h"

#include <array>
#include <charconv>
#include <numbers>

#include "lm/entries.h"

namespace calque {

std::string arpa_lines(const LanguageModel& model, const NgramLists& lists, const WordTable& words,
                       int n, int64_t first, int64_t last) {
  std::string text;
  const auto number = [&](float log_value) {
    // The sign of zero is our own mark; shortest form that reads back as the same float.
    const auto value = static_cast<float>(log_value / std::numbers::ln10) + 0.0f;
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(digits.data(), end);
  };
  std::array<int32_t, kMaxLmOrder> ids;
  for (int64_t i = first; i < last; ++i) {
    const LmEntry entry = ngram_entry(model, lists, n, static_cast<int32_t>(i), ids);
    number(entry.log_prob);
    for (int k = n - 1; k >= 0; --k) {
      text += k == n - 1 ? '\t' : ' ';
      text += words.word(ids[k]);
    }
    if (n < model.order()) {
      text += '\t';
      number(entry.backoff);
    }
    text += '\n';
  }
  return text;
}

}  // namespace calque
