// A checksum against damage, not against forgery: fast enough to read a whole model when it opens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace calque {

// Bytes in any pieces, one after the other. Every step is a bijection of what was there before and
// of the bytes that come, so damage to a single word of eight bytes always changes the result.
// Oracle: tests/test_text_mapped.py.
class Checksum {
 public:
  void update(std::span<const std::byte> bytes);
  uint64_t value() const;

 private:
  static constexpr size_t kLanes = 8;  // side by side: the steps of one wait for each other
  static constexpr size_t kStripe = kLanes * sizeof(uint64_t);

  void take(const std::byte* stripe);

  std::array<uint64_t, kLanes> lanes_{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::byte, kStripe> pending_{};
  size_t n_pending_ = 0;
  uint64_t n_bytes_ = 0;
};

}  // namespace calque
