// Values of features that many candidates of a sentence have, with a bit per candidate instead of an
// entry: smaller, and summed up eight candidates at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tune/mask_sums.h"

namespace calque {

// The masked values of one sentence. Features that the same candidates have with the same value, as
// those of a block do, share a mask: mask m names the candidates that have values[m] of its members,
// which are places among the sentence's features.
struct MaskedValues {
  std::span<const int16_t> values;
  std::span<const int64_t> member_offsets;  // one more than masks
  std::span<const int32_t> members;         // of the whole lists
  Masks masks;

  std::span<const int32_t> members_of(size_t mask) const {
    const auto begin = static_cast<size_t>(member_offsets[mask]);
    return members.subspan(begin, static_cast<size_t>(member_offsets[mask + 1]) - begin);
  }
};

// Those of all sentences; none where the lists have entries only. Sentence s has the masks
// offsets[s] .. offsets[s + 1], whose bits begin at byte_offsets[s].
struct MaskedLists {
  std::span<const int64_t> offsets;
  std::span<const int64_t> byte_offsets;
  std::span<const int16_t> values;
  std::span<const int64_t> member_offsets;
  std::span<const int32_t> members;
  std::span<const uint8_t> bits;

  bool empty() const { return values.empty(); }
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
