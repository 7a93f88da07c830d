#include "tune/masked_values.h"

namespace calque {

MaskedValues MaskedLists::of(int64_t sentence, size_t n_candidates) const {
  if (empty()) return {{}, {}, {}, {nullptr, 0, mask_bytes(n_candidates)}};
  const auto begin = static_cast<size_t>(offsets[sentence]);
  const size_t n = static_cast<size_t>(offsets[sentence + 1]) - begin;
  const uint8_t* const own = bits.data() + byte_offsets[sentence];
  return {values.subspan(begin, n), member_offsets.subspan(begin, n + 1), members,
          {own, n, mask_bytes(n_candidates)}};
}

std::span<const double> MaskedSums::scores(const MaskedValues& masked,
                                           std::span<const double> local) {
  by_mask_.resize(masked.masks.n);
  for (size_t m = 0; m < masked.masks.n; ++m) {
    double sum = 0;
    for (const int32_t place : masked.members_of(m)) sum += local[static_cast<size_t>(place)];
    by_mask_[m] = sum * masked.values[m];
  }
  by_candidate_.assign(8 * masked.masks.n_bytes, 0.0);
  way_.by_candidate(masked.masks, by_mask_.data(), by_candidate_.data());
  return by_candidate_;
}

void MaskedSums::add(const MaskedValues& masked, std::span<const double> factors,
                     std::span<double> sums) {
  by_mask_.resize(masked.masks.n);
  way_.by_mask(masked.masks, factors.data(), by_mask_.data());
  for (size_t m = 0; m < masked.masks.n; ++m) {
    const double sum = by_mask_[m] * masked.values[m];
    for (const int32_t place : masked.members_of(m)) sums[static_cast<size_t>(place)] += sum;
  }
}

}  // namespace calque
