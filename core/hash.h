// 64-bit hashing of bytes and integers: fast, well mixed, the same on every machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace calque {

// A bijection of 64-bit integers with full avalanche (the finaliser of SplitMix64).
inline uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
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
  if (left > 0) {
    uint64_t piece = 0;
    std::memcpy(&piece, at, left);
    hash = mix(hash ^ piece);
  }
  return mix(hash);
}

}  // namespace calque
