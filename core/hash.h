// 64-bit hashing of bytes and integers: fast, well mixed, the same on every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace calque {

// Keys are kept in models and weights, and their bytes are read in this order.
static_assert(std::endian::native == std::endian::little);

// A bijection of 64-bit integers with full avalanche (the finaliser of SplitMix64).
inline uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// The last 1 to 7 bytes, zero-padded to 8, from two overlapping loads of fixed size: a copy of
// varying length would cost more than the rest of the hash.
inline uint64_t load_tail(const char* at, size_t left) {
  if (left >= 4) {
    uint32_t low, high;
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + left - 4, 4);
    return low | static_cast<uint64_t>(high) << (8 * (left - 4));
  }
  const auto byte = [at](size_t i) { return static_cast<uint64_t>(static_cast<uint8_t>(at[i])); };
  return byte(0) | byte(left / 2) << (8 * (left / 2)) | byte(left - 1) << (8 * (left - 1));
}

// Eight bytes a step; the length enters, so a word and its zero-padded twin differ.
inline uint64_t hash_bytes(std::string_view bytes) {
  uint64_t hash = 0x9e3779b97f4a7c15ULL ^ bytes.size();
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t piece;
    std::memcpy(&piece, at, 8);
    hash = mix(hash ^ piece);
  }
  if (left > 0) hash = mix(hash ^ load_tail(at, left));
  return mix(hash);
}

}  // namespace calque
