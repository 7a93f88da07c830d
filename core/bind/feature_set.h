// A feature set as Python holds it: the arrays, kept alive, and the view of them.
#pragma once

#include <vector>

#include "bind/arrays.h"
#include "features/feature_set.h"

namespace calque::bind {

struct BoundFeatureSet {
  FeatureSet set;
  std::vector<nb::object> owners;  // of the memory that `set` points into

  // A view of an array, which is kept alive.
  template <typename Array>
  auto keep(const Array& array) {
    owners.push_back(nb::cast(array));
    return view(array);
  }
};

// The weights of one call.
struct BoundWeights {
  BoundWeights(Vector<double> dense, nb::object sparse) : dense(dense), sparse(sparse) {}

  WeightView view() const {
    return {bind::view(dense), sparse.is_none() ? nullptr : nb::cast<const SparseTable*>(sparse)};
  }

  Vector<double> dense;
  nb::object sparse;  // a SparseTable or none
};

void register_feature_set(nb::module_& m);

}  // namespace calque::bind
