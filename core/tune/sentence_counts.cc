#include "tune/sentence_counts.h"

#include <limits>

namespace calque {

void SentenceCounts::add(std::span<const int64_t> offsets, std::span<const int64_t> row_offsets,
                         std::span<const int32_t> columns) {
  constexpr uint8_t kMost = std::numeric_limits<uint8_t>::max();
  for (size_t s = 0; s + 1 < offsets.size(); ++s, ++n_sentences_) {
    const int64_t end = row_offsets[static_cast<size_t>(offsets[s + 1])];
    for (int64_t i = row_offsets[static_cast<size_t>(offsets[s])]; i < end; ++i) {
      const auto column = static_cast<size_t>(columns[static_cast<size_t>(i)]);
      if (last_[column] == n_sentences_) continue;
      last_[column] = n_sentences_;
      if (counts_[column] < kMost) ++counts_[column];
    }
  }
}

}  // namespace calque
