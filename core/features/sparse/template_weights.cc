#include "features/sparse/template_weights.h"

namespace calque {

WeightedGroup::WeightedGroup(const TemplateGroup& templates_of, const SparseTable& weights)
    : group(&templates_of) {
  for (const TemplateGroup::Neighbours& one : group->neighbours()) {
    const SparseTable::Part* part = weights.part(one.name);
    if (part == nullptr || part->size() == 0) continue;
    const auto shift = static_cast<uint8_t>(part->shift());
    templates.push_back({one.name, part->tables(), one.level, one.piece, shift, one.with_minor,
                         one.without_minor});
  }
}

}  // namespace calque
