// A feature set as Python holds it: the arrays, kept alive, and the view of them.
#pragma once

#include <memory>
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

  // Arranged for the templates of a set, anew each time: the numbers of the table may have changed.
  WeightView view(const FeatureSet& features) const {
    if (sparse.is_none() || features.sparse.empty()) return {bind::view(dense), nullptr};
    const auto& table = nb::cast<const SparseTable&>(sparse);
    return {bind::view(dense), std::make_shared<const SparsePlans>(features.sparse, table)};
  }

  Vector<double> dense;
  nb::object sparse;  // a SparseTable or none
};

void register_feature_set(nb::module_& m);

}  // namespace calque::bind
