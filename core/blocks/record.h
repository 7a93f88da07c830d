// What extraction sorts and merges: one record per kind of occurrence of a block.
#pragma once

#include <cstdint>
#include <span>

#include "blocks/orientation.h"

namespace calque {

// Inner alignments are 8 x 8 bits: source s and target t are linked if bit 8 t + s is set.
inline constexpr int kMaxWords = 8;

// `count` occurrences of one phrase pair that agree in inner alignment and orientations. Three
// 64-bit words, so that a run of records is a plain integer matrix for numpy.
struct Record {
  uint64_t key;    // source phrase id << 32 | target phrase id
  uint64_t links;  // inner alignment
  uint64_t tail;   // orientations << 32 | count

  uint32_t source() const { return static_cast<uint32_t>(key >> 32); }
  uint32_t target() const { return static_cast<uint32_t>(key); }
  uint32_t count() const { return static_cast<uint32_t>(tail); }
  uint32_t previous() const { return (tail >> 32) & 3; }
  uint32_t next() const { return (tail >> 34) & 3; }
  bool made() const { return (tail >> 36) & 1; }  // stands for no occurrence (fallback.h)
  uint32_t kind() const { return static_cast<uint32_t>(tail >> 32); }
  bool same_kind(const Record& other) const {
    return key == other.key && links == other.links && kind() == other.kind();
  }
  bool operator<(const Record& other) const {
    if (key != other.key) return key < other.key;
    if (links != other.links) return links < other.links;
    return tail < other.tail;
  }
};
static_assert(sizeof(Record) == 24);

inline uint64_t record_tail(Orientation previous, Orientation next, uint32_t count) {
  const auto bits = [](auto value) { return static_cast<uint64_t>(value); };
  return (bits(previous) | bits(next) << 2) << 32 | count;
}

// Records sorted by <, no two of the same kind.
using SortedRun = std::span<const Record>;

}  // namespace calque
