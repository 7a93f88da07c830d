// Which source words are translated.
#pragma once

#include <bit>
#include <cstdint>

#include "hash.h"

namespace calque {

// Everything before `first` is covered, `first` itself is not, and bit i of `later` says whether
// word first + 1 + i is. A sentence of any length fits, because no hypothesis may cover a word more
// than kWindow words beyond its first gap: under a distortion limit none wants to. Only what closes
// the first gap may be longer.
struct Coverage {
  static constexpr int kWindow = 64;

  int32_t first = 0;
  uint64_t later = 0;

  bool operator==(const Coverage&) const = default;
  uint64_t hash() const { return mix(later * 0x9e3779b97f4a7c15ULL + static_cast<uint64_t>(first)); }

  // Whether the half-open span [begin, end) is free and inside the window.
  bool can_add(int begin, int end) const {
    if (begin == first) return (later & ones(end - begin - 1)) == 0;
    if (begin < first || end - first > kWindow) return false;
    return (later & (ones(end - begin) << (begin - first - 1))) == 0;
  }

  // Precondition: can_add(begin, end).
  Coverage with(int begin, int end) const {
    if (begin > first) {
      return {first, later | (ones(end - begin) << (begin - first - 1))};
    }
    // The gap at `first` closes: move on past every covered word that follows.
    uint64_t rest = shift_right(later, end - begin - 1);
    const int run = std::countr_one(rest);
    return {end + run, shift_right(rest, run + 1)};
  }

  // The words jumped over by a translation that goes on at `last_end` and takes up the gaps from left
  // to right: what is still to be paid for reordering, under an optimistic view.
  int remaining_jumps(int last_end, int n_words) const {
    if (first >= n_words) return 0;
    int sum = first < last_end ? last_end - first : first - last_end;
    uint64_t bits = later;
    // Covered words between gaps are jumped over; those at the end are not.
    int at = first + 1;
    while (bits != 0) {
      const int gap = std::countr_zero(bits);
      bits >>= gap;
      const int run = std::countr_one(bits);
      bits = shift_right(bits, run);
      at += gap + run;
      if (at < n_words) sum += run;
    }
    return sum;
  }

  // The number of covered words.
  int count() const { return first + std::popcount(later); }

 private:
  static uint64_t ones(int n) { return n >= 64 ? ~0ULL : (1ULL << n) - 1; }
  static uint64_t shift_right(uint64_t bits, int n) { return n >= 64 ? 0 : bits >> n; }
};

}  // namespace calque
