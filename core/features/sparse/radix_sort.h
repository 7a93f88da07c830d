// Sorting of keys with their values in place, without a second copy of either.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace calque {

// Sorts by ascending key, byte by byte from the one at `shift`; those above it must be equal.
// Each pair moves straight to its place among the 256 of that byte, so hashed keys take about one
// pass per byte until few are left. Precondition: both spans are of one length; keys are distinct.
template <typename Value>
void radix_sort(std::span<uint64_t> keys, std::span<Value> values, int shift = 56) {
  const auto exchange = [&](size_t i, size_t j) {
    std::swap(keys[i], keys[j]);
    std::swap(values[i], values[j]);
  };
  if (keys.size() <= 32) {
    for (size_t i = 1; i < keys.size(); ++i) {
      for (size_t j = i; j > 0 && keys[j] < keys[j - 1]; --j) exchange(j, j - 1);
    }
    return;
  }
  const auto digit = [shift](uint64_t key) { return static_cast<size_t>(key >> shift & 0xff); };
  std::array<size_t, 256> next{}, end{};
  for (const uint64_t key : keys) ++end[digit(key)];
  for (size_t d = 1; d < 256; ++d) {
    next[d] = end[d - 1];
    end[d] += end[d - 1];
  }
  for (size_t d = 0; d < 256; ++d) {
    for (; next[d] < end[d]; ++next[d]) {
      while (digit(keys[next[d]]) != d) exchange(next[d], next[digit(keys[next[d]])]++);
    }
  }
  if (shift == 0) return;
  for (size_t d = 0, begin = 0; d < 256; begin = end[d++]) {
    const size_t size = end[d] - begin;
    if (size > 1) radix_sort(keys.subspan(begin, size), values.subspan(begin, size), shift - 8);
  }
}

}  // namespace calque
