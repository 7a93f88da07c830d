#include "decode/sparse_features.h"

#include <algorithm>

namespace calque {

void FiredFeatures::add(Scope scope, const StepView& step, const SentenceValues& values) {
  Binder binder(values, step);
  for (const TemplateGroup& group : set_.groups(scope)) {
    binder.for_each(group, [&](const Rows& rows) {
      for (const auto& member : group.members()) keys_.push_back(key_of(group, member, rows));
    });
  }
}

SparseVector FiredFeatures::counted() {
  SparseVector vector;
  std::ranges::sort(keys_);
  for (const uint64_t key : keys_) {
    if (vector.keys.empty() || vector.keys.back() != key) {
      vector.keys.push_back(key);
      vector.counts.push_back(0);
    }
    vector.counts.back() += 1;
  }
  return vector;
}

}  // namespace calque
