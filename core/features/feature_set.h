// What scores a derivation, and with which weights.
#pragma once

#include <span>

#include "features/dense_set.h"

namespace calque {

struct FeatureSet {
  DenseSet dense;
};

// Views; a decoder's call owns the numbers. `dense` is in the order of the set's components.
struct WeightView {
  std::span<const double> dense;
};

}  // namespace calque
