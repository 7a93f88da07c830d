// Values of features that many candidates of a sentence have, with a bit per candidate instead of an
// entry: smaller, and summed up eight candidates at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tune/mask_sums.h"

namespace calque {

// The masked values of one sentence: masks[m] names the candidates that have values[m] of the feature
// at places[m] of the sentence's features.
struct MaskedValues {
  std::span<const int32_t> places;
  std::span<const int16_t> values;
  Masks masks;
};

// Those of all sentences; none where the lists have entries only. Sentence s has the values
// offsets[s] .. offsets[s + 1], and its masks begin at byte_offsets[s].
struct MaskedLists {
  std::span<const int64_t> offsets;
  std::span<const int64_t> byte_offsets;
  std::span<const int32_t> places;
  std::span<const int16_t> values;
  std::span<const uint8_t> bits;

  bool empty() const { return places.empty(); }
  MaskedValues of(int64_t sentence, size_t n_candidates) const;
};

// A byte for eight candidates.
constexpr size_t mask_bytes(size_t n_candidates) { return (n_candidates + 7) / 8; }

// Sums over masked values; owns the scratch memory that this takes.
class MaskedSums {
 public:
  // For each candidate, and as many as fill its last byte, the sum of its values times the weights
  // of the sentence's features. Valid until the next call.
  std::span<const double> scores(const MaskedValues& masked, std::span<const double> local);
  // Adds to the sum of each feature the factors of the candidates that have it times their values.
  // There are 8 * n_bytes factors.
  void add(const MaskedValues& masked, std::span<const double> factors, std::span<double> sums);

 private:
  const MaskSums& way_ = mask_sums().back();
  std::vector<double> by_mask_, by_candidate_;
};

}  // namespace calque
