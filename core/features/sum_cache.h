// Sums that are remembered for as long as there is room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hash.h"
#include "huge_pages.h"

namespace calque {

// Five sums share a line of the cache. It grows up to a limit; then a new sum takes the place of the
// oldest one of its line.
class SumCache {
 public:
  // At most so many lines, a power of 2.
  explicit SumCache(size_t most_lines) : most_lines_(most_lines), lines_(kFewestLines) {}

  // The sum of a key, or null. Keys are hashes: none of them is 0.
  const float* find(uint64_t key) const {
    const Line& line = lines_[at(key)];
    for (size_t i = 0; i < kSums; ++i) {
      if (line.keys[i] == key) return &line.sums[i];
    }
    return nullptr;
  }
  // A `find` that follows well after this does not wait for memory.
  void prefetch(uint64_t key) const { __builtin_prefetch(&lines_[at(key)]); }

  // Precondition: the key is absent.
  void insert(uint64_t key, float sum) {
    if (n_inserted_ >= 3 * lines_.size() && lines_.size() < most_lines_) grow();
    place(key, sum);
    ++n_inserted_;
  }

 private:
  static constexpr size_t kSums = 5;
  static constexpr size_t kFewestLines = 256;

  struct alignas(64) Line {
    std::array<uint64_t, kSums> keys{};
    std::array<float, kSums> sums{};
    uint32_t next = 0;  // the oldest
  };

  size_t at(uint64_t key) const { return key & (lines_.size() - 1); }
  void place(uint64_t key, float sum) {
    Line& line = lines_[at(key)];
    line.keys[line.next] = key;
    line.sums[line.next] = sum;
    line.next = (line.next + 1) % kSums;
  }
  void grow() {
    LargeVector<Line> old(2 * lines_.size());
    old.swap(lines_);
    for (const Line& line : old) {
      for (size_t i = 0; i < kSums; ++i) {
        if (line.keys[i] != 0) place(line.keys[i], line.sums[i]);
      }
    }
  }

  size_t most_lines_;
  size_t n_inserted_ = 0;
  LargeVector<Line> lines_;
};

}  // namespace calque
