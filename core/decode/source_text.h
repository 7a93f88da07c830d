// Source sentences as a decoder takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decode/model.h"

namespace calque {

// Source sentences and, for every word, what stands for it where it is copied.
struct SourceText {
  std::span<const int32_t> ids;
  std::span<const int64_t> offsets;  // sentence i is ids[offsets[i] .. offsets[i + 1])
  std::span<const int32_t> copies;   // a target id, or -1 - i for the text of word i of the sentence
  std::span<const uint64_t> levels;  // what templates see of each word, rows of n_levels
  size_t n_levels;
  std::span<const int64_t> pairs;    // of each sentence in the training corpus; empty: no matter

  size_t size() const { return offsets.size() - 1; }
  SentenceView sentence(size_t i) const {
    return {cut(ids, i), cut(copies, i), cut(levels, i, n_levels), pairs.empty() ? -1 : pairs[i]};
  }

 private:
  template <typename T>
  std::span<const T> cut(std::span<const T> rows, size_t i, size_t width = 1) const {
    const auto begin = static_cast<size_t>(offsets[i]), end = static_cast<size_t>(offsets[i + 1]);
    return rows.subspan(begin * width, (end - begin) * width);
  }
};

}  // namespace calque
