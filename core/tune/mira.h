// One pass of k-best MIRA over lists of candidates (Cherry & Foster 2012).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace calque {

// Candidates of many sentences with dense and sparse features: those of sentence s are
// offsets[s] .. offsets[s + 1]; the sparse features of candidate i are the entries from
// row_offsets[i] to row_offsets[i + 1]. Weights hold the dense features first, then the sparse.
struct SparseLists {
  std::span<const int64_t> offsets;
  std::span<const double> dense;
  size_t n_dense;
  std::span<const int64_t> row_offsets;
  std::span<const int32_t> columns;
  std::span<const double> values;
};

// Updates `weights` on the sentences of `order`, one after the other: hope is the candidate of
// highest score plus gain, fear that of highest score minus gain, and the weights move by at most
// `step` times the difference of their features so that hope wins by the difference in gain.
// `frozen` weights never move. `lag` collects each move times the number of sentences seen before
// it (`n_seen` at the beginning), so that the average over all sentences up to now is
// weights - lag / n_seen. Gives the best-scoring candidate of every visited sentence before its
// update. Oracle: tests/test_train_mira.py.
std::vector<int64_t> mira_pass(const SparseLists& lists, std::span<const int64_t> order,
                               std::span<const double> gains, std::span<const uint8_t> frozen,
                               double step, int64_t n_seen, std::span<double> weights,
                               std::span<double> lag);

}  // namespace calque
