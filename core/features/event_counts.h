// How often blocks were seen in events (features/events.h), as the decoder asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "features/events.h"

namespace calque {

// A view. What is no block of the table, its row below 0, was never seen.
struct EventCounts {
  std::span<const int32_t> counts;  // kSides per block; empty: not known

  bool empty() const { return counts.empty(); }
  // Events in which the block lies to the left of the one before, and all in which it follows.
  int32_t left(int64_t block) const {
    return block < 0 ? 0 : row(block)[static_cast<size_t>(Side::left)];
  }
  int64_t all(int64_t block) const {
    if (block < 0) return 0;
    const auto sides = row(block);
    return std::accumulate(sides.begin(), sides.end(), int64_t{0});
  }

 private:
  std::span<const int32_t> row(int64_t block) const {
    return counts.subspan(static_cast<size_t>(block) * kSides, kSides);
  }
};

}  // namespace calque
