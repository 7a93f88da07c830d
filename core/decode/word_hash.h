// A hash of word sequences that grows at the end, or by whole sequences.
#pragma once

#include <cstdint>

#include "hash.h"

namespace calque {

inline constexpr uint64_t kWordsFactor = 0x9e3779b97f4a7c15ULL;
inline uint64_t append_word(uint64_t words, int32_t word) {
  return words * kWordsFactor + mix(static_cast<uint32_t>(word) + 1ULL);
}

}  // namespace calque
