// What the user requires of translations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace calque {

// What the user wants a source span to become: exactly these target words. Those below 0 name texts
// outside the target vocabulary, equal ones by equal numbers.
struct Constraint {
  int32_t begin, end;
  std::span<const int32_t> target;
};

// Of many sentences; empty where there is nothing.
struct Constraints {
  std::vector<Constraint> all;
  std::span<const int64_t> offsets;  // those of sentence i are all[offsets[i] .. offsets[i + 1])

  std::span<const Constraint> sentence(size_t i) const {
    if (all.empty()) return {};
    const auto begin = static_cast<size_t>(offsets[i]);
    return std::span(all).subspan(begin, static_cast<size_t>(offsets[i + 1]) - begin);
  }
};

}  // namespace calque
