#include "checksum.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "hash.h"

namespace calque {

void Checksum::take(const std::byte* stripe) {
  for (size_t i = 0; i < kLanes; ++i) {
    uint64_t word;
    std::memcpy(&word, stripe + i * sizeof word, sizeof word);
    // Twice, with a turn between: a product alone would carry the upper bits nowhere, and two
    // damages could cancel each other.
    lanes_[i] = std::rotl(lanes_[i] ^ word * 0xd6e8feb86659fd93ULL, 31) * 0x9e3779b97f4a7c15ULL;
  }
}

void Checksum::update(std::span<const std::byte> bytes) {
  n_bytes_ += bytes.size();
  if (n_pending_ > 0) {
    const size_t n = std::min(kStripe - n_pending_, bytes.size());
    std::copy_n(bytes.begin(), n, pending_.begin() + n_pending_);
    n_pending_ += n;
    bytes = bytes.subspan(n);
    if (n_pending_ < kStripe) return;
    take(pending_.data());
    n_pending_ = 0;
  }
  for (; bytes.size() >= kStripe; bytes = bytes.subspan(kStripe)) take(bytes.data());
  std::ranges::copy(bytes, pending_.begin());
  n_pending_ = bytes.size();
}

uint64_t Checksum::value() const {
  Checksum last = *this;
  std::fill(last.pending_.begin() + last.n_pending_, last.pending_.end(), std::byte{0});
  last.take(last.pending_.data());
  uint64_t value = n_bytes_;  // what ends in zeros is not what ends before them
  for (const uint64_t lane : last.lanes_) value = mix(value ^ lane) + 1;
  return value;
}

}  // namespace calque
