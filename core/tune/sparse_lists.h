// Lists of candidates with dense and sparse features, as kernels that learn see them.
#pragma once

#include <cstdint>
#include <span>

namespace calque {

// The candidates of sentence s are offsets[s] .. offsets[s + 1]; the sparse features of candidate i
// are the entries from row_offsets[i] to row_offsets[i + 1]. Weights hold the dense features first,
// then the sparse. Values are counts in a byte each, or real numbers.
template <typename Value>
struct SparseLists {
  std::span<const int64_t> offsets;
  std::span<const double> dense;
  size_t n_dense;
  std::span<const int64_t> row_offsets;
  std::span<const int32_t> columns;
  std::span<const Value> values;

  // What the sparse features of a row add to its score. Every row is summed on its own, in the order
  // of its entries: equal rows have equal sums.
  double sparse_score(int64_t row, std::span<const double> sparse_weights) const {
    double score = 0;
    for (int64_t i = row_offsets[row]; i < row_offsets[row + 1]; ++i) {
      score += sparse_weights[static_cast<size_t>(columns[i])] * static_cast<double>(values[i]);
    }
    return score;
  }
};

}  // namespace calque
