// Runs of records across the border: matrices of three columns.
#pragma once

#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "blocks/record.h"

namespace calque::bind {

using RunMatrix = nb::ndarray<nb::numpy, uint64_t, nb::ndim<2>>;

inline RunMatrix to_matrix(std::vector<Record>&& run) {
  auto* kept = new std::vector<Record>(std::move(run));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Record>*>(p); });
  return RunMatrix(kept->data(), {kept->size(), 3}, owner);
}

}  // namespace calque::bind
