// Templates together with the weights of their features.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "features/sparse/lookups.h"
#include "features/sparse/sparse_table.h"
#include "features/templates.h"

namespace calque {

// A template of which there are weights, or two that differ in the minor slot only.
struct WeightedTemplate {
  uint64_t name;                         // hash
  const TagTable* tables;                // of its weights: see SparseTable::Part
  std::array<uint8_t, kMaxSlots> level;  // of each slot
  int32_t piece;  // of its group: see TemplateGroup
  uint8_t shift;
  bool with_minor, without_minor;  // which of the two there are
};

// Asks for the weights of each template with these values of its slots, and with each of the numbers
// of its minor slot that have these tags.
inline void look_up(std::span<const WeightedTemplate> templates, const uint64_t* const* rows,
                    size_t n_slots, std::span<const uint16_t> minors, Lookups::Sums sums,
                    Lookups& lookups) {
  const auto all = [&](size_t n) {
    for (const WeightedTemplate& one : templates) {
      const uint64_t key = major_key(one, rows, n);
      const TagTable& table = one.tables[SparseTable::hash(key) >> one.shift];
      const auto differences = one.with_minor ? minors : std::span<const uint16_t>();
      lookups.add(table, {key, one.without_minor, differences}, sums);
    }
  };
  // Numbers that the compiler sees make the loops over slots disappear.
  switch (n_slots) {
    case 1: return all(1);
    case 2: return all(2);
    case 3: return all(3);
    default: return all(n_slots);
  }
}

// The templates of a group of which there are weights.
struct WeightedGroup {
  const TemplateGroup* group;
  std::vector<WeightedTemplate> templates;

  WeightedGroup(const TemplateGroup& templates_of, const SparseTable& weights);

  size_t n_slots() const { return group->slots.size(); }
  // Asks for everything that fires in a step, all of which is added to one sum.
  void look_up(const SentenceValues& sentence, const StepView& step, uint32_t sum,
               Lookups& lookups) const {
    Binder(sentence, step).for_each(*group, [&](const Rows& rows) {
      std::span<const uint16_t> minor;
      if (group->minor) minor = sentence.set().tag(group->minor->slot, rows[n_slots()]);
      calque::look_up(templates, rows.data(), n_slots(), minor, {sum, false}, lookups);
    });
  }
};

}  // namespace calque
