// What scores a derivation, and with which weights.
#pragma once

#include <span>

#include "features/dense_set.h"
#include "features/sparse_table.h"
#include "features/templates.h"

namespace calque {

struct FeatureSet {
  DenseSet dense;
  TemplateSet sparse;
};

// Views; a decoder's call owns the numbers. `dense` is in the order of the set's components.
struct WeightView {
  std::span<const double> dense;
  const SparseTable* sparse = nullptr;  // null: sparse features count for nothing
};

}  // namespace calque
