// Sums over the candidates of a sentence that a mask names, eight of them at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace calque {

// Masks in a row, a bit per candidate, eight candidates to a byte.
struct Masks {
  const uint8_t* bits;
  size_t n;        // masks
  size_t n_bytes;  // of each
};

// One way to sum up. All ways add in the same order, so their sums have the same bits.
struct MaskSums {
  const char* name;
  // Adds numbers[m] to sums[c] for every candidate c of mask m, mask after mask. There are
  // 8 * n_bytes sums.
  void (*by_candidate)(const Masks& masks, const double* numbers, double* sums);
  // Makes sums[m] the sum of numbers[c] over the candidates of mask m: those whose places are equal
  // modulo 8 in order, then these eight by halves. There are 8 * n_bytes numbers.
  void (*by_mask)(const Masks& masks, const double* numbers, double* sums);
};

// The ways that this processor has, the fastest last.
// Oracle: tests/test_tune_masks.py.
std::span<const MaskSums> mask_sums();

}  // namespace calque
