// Columns of sparse features: 64-bit keys numbered in order of first appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "huge_pages.h"

namespace calque {

// Whatever is kept per feature (weights, steps of an optimiser, sums) is then an array by column.
// Takes 16 to 24 bytes a key. Reading is safe from many threads.
// Oracle: tests/test_hyps_feature_index.py (a dictionary).
class FeatureIndex {
 public:
  // The columns of the keys; keys that are new get the next ones. Throws Error where 32 bits cannot
  // number them. The columns do not depend on n_threads. Precondition: the spans are of one length.
  void add(std::span<const uint64_t> keys, std::span<int32_t> columns, int n_threads = 1);
  // The columns of the keys, -1 for those that have none. Precondition: as above.
  void find(std::span<const uint64_t> keys, std::span<int32_t> columns) const;

  // By column.
  std::span<const uint64_t> keys() const { return keys_; }

 private:
  size_t place(uint64_t key) const;
  void find_some(std::span<const uint64_t> keys, std::span<int32_t> columns) const;
  void grow(size_t n_keys);

  LargeVector<uint64_t> keys_;
  LargeVector<int32_t> slots_;  // columns by hash, -1 for none; at most half of them are used
};

}  // namespace calque
