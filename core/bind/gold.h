// Gold lattices across the border.
#pragma once

#include "bind/arrays.h"
#include "decode/phrase/gold_lattice.h"

namespace calque::bind {

// Some lattices; keeps the arrays alive that the view points into.
struct BoundGold {
  BoundGold(Vector<int64_t> pairs, Vector<int32_t> n_source, Vector<int32_t> n_target,
            Vector<uint8_t> is_whole, Vector<int64_t> offsets, Vector<uint64_t> later,
            Vector<uint16_t> first, Vector<uint16_t> last_end, Vector<uint16_t> n_words);

  GoldView view() const;
  // Throws Error where a lattice is of no pair of these texts, or one of `chosen` is no lattice.
  void check(const SourceText& source, std::span<const int64_t> reference_offsets) const;
  void check(const SourceText& source, std::span<const int64_t> reference_offsets,
             std::span<const int64_t> chosen) const;

  Vector<int64_t> pairs;
  Vector<int32_t> n_source, n_target;
  Vector<uint8_t> is_whole;
  Vector<int64_t> offsets;
  Vector<uint64_t> later;
  Vector<uint16_t> first, last_end, n_words;
};

}  // namespace calque::bind
