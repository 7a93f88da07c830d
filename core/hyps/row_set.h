// Which rows of a stream are new, by a hash of 128 bits instead of the rows themselves.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "flat_map.h"
#include "hash.h"

namespace calque {

// The hash of a row that grows piece by piece; the lengths enter, so that no two cuts of the same
// bytes are the same row.
class RowHash {
 public:
  void add(std::string_view bytes) {
    add(bytes.size());
    const char* at = bytes.data();
    size_t left = bytes.size();
    for (; left >= 8; at += 8, left -= 8) {
      uint64_t piece;
      std::memcpy(&piece, at, 8);
      add(piece);
    }
    if (left > 0) add(load_tail(at, left));
  }
  void add(uint64_t piece) {
    low_ = mix(low_ ^ piece);
    high_ = mix(high_ + 0x9e3779b97f4a7c15ULL) ^ mix(piece * 0xd6e8feb86659fd93ULL + high_);
  }

  bool operator==(const RowHash&) const = default;
  uint64_t hash() const { return low_; }

 private:
  uint64_t low_ = 0x243f6a8885a308d3ULL, high_ = 0x13198a2e03707344ULL;
};

// Rows that were seen. Among a hundred million different ones, some two are taken for equal with a
// probability below 1e-22. Oracle: tests/test_hyps_pool.py.
class RowSet {
 public:
  // Whether the row is new; from now on it is not.
  bool insert(const RowHash& row) {
    const size_t before = rows_.size();
    rows_.intern(row);
    return rows_.size() > before;
  }
  size_t size() const { return rows_.size(); }

 private:
  Interner<RowHash> rows_;
};

}  // namespace calque
