#include "features/weighted.h"

#include <algorithm>

namespace calque {

WeightedGroup::WeightedGroup(const TemplateGroup& templates_of, const SparseTable& weights)
    : group(&templates_of) {
  for (const TemplateGroup::Member& member : group->members) {
    const SparseTable::Part* part = weights.part(member.name);
    if (part == nullptr || part->size() == 0) continue;
    auto same = std::ranges::find_if(templates, [&](const WeightedTemplate& one) {
      return one.name == member.name && one.level == member.level;
    });
    if (same == templates.end()) {
      const auto shift = static_cast<uint8_t>(part->shift());
      same = templates.insert(same, {member.name, part->tables(), member.level, shift, false, false});
    }
    (member.has_minor ? same->with_minor : same->without_minor) = true;
  }
}

}  // namespace calque
