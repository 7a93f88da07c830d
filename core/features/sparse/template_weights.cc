#include "features/sparse/template_weights.h"

namespace calque {

WeightedGroup::WeightedGroup(const TemplateGroup& templates_of, const SparseTable& weights)
    : group(&templates_of) {
  for (const TemplateGroup::Neighbours& neighbours : group->neighbours()) {
    const SparseTable::Part* part = weights.part(neighbours.name);
    if (part == nullptr || part->size() == 0) continue;
    const auto shift = static_cast<uint8_t>(part->shift());
    templates.push_back({neighbours.name, part->tables(), neighbours.level, neighbours.piece, shift,
                         neighbours.with_minor, neighbours.without_minor});
  }
}

}  // namespace calque
