// What scores a derivation, and with which weights.
#pragma once

#include <memory>
#include <span>

#include "features/dense_set.h"
#include "features/event_counts.h"
#include "features/sparse/sparse_plans.h"
#include "features/templates.h"

namespace calque {

struct FeatureSet {
  DenseSet dense;
  TemplateSet sparse;
  EventCounts events;
};

// The weights of one call, which owns the numbers. `dense` is in the order of the set's components.
struct WeightView {
  std::span<const double> dense;
  // Of the sparse features; null: there are none, or they count for nothing.
  std::shared_ptr<const SparsePlans> sparse = nullptr;
};

}  // namespace calque
