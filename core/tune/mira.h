// One pass of k-best MIRA over lists of candidates (Cherry & Foster 2012).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tune/bundled_lists.h"

namespace calque {

// Updates `weights` on the sentences of `order`, one after the other: hope is the candidate of
// highest score plus gain, fear that of highest score minus gain, and the weights move by at most
// `step` times the difference of their features so that hope wins by the difference in gain.
// `dense` has a row per candidate; weights hold those features first, then the sparse ones.
// `frozen` weights never move. `lag` collects each move times the number of sentences seen before
// it (`n_seen` at the beginning), so that the average over all sentences up to now is
// weights - lag / n_seen. Gives the best-scoring candidate of every visited sentence before its
// update. Oracle: tests/test_tune_mira.py.
std::vector<int64_t> mira_pass(const BundledLists& lists, std::span<const double> dense,
                               size_t n_dense, std::span<const int64_t> order,
                               std::span<const double> gains, std::span<const uint8_t> frozen,
                               double step, int64_t n_seen, std::span<double> weights,
                               std::span<double> lag);

}  // namespace calque
