#include "features/sparse/sparse_plans.h"

#include <algorithm>

namespace calque {
namespace {

using Piece = SparsePlan::Piece;
using Remembered = SparsePlan::Remembered;

constexpr size_t kFewTemplates = 4;  // not worth remembering
constexpr size_t kMostLevels = 256;

bool is_phrase(const SlotUse& use) {
  return use.slot == Slot::kBlock || use.slot == Slot::kSource || use.slot == Slot::kTarget;
}

// Whether the texts of a group's words, which are few, decide what it adds.
bool is_remembered(const WeightedGroup& weighted) {
  const TemplateGroup& group = *weighted.group;
  return !group.loops && !group.of_gaps && !group.listed && !group.adjacent &&
         weighted.templates.size() >= kFewTemplates &&
         std::ranges::none_of(group.slots, is_phrase);
}

// The slots and levels that the templates of a piece see, in the order in which they are met.
void find_seen(Piece& piece, size_t n_slots) {
  std::array<bool, kMaxSlots * kMostLevels> seen{};
  for (const WeightedTemplate& weighted : piece.templates) {
    for (size_t slot = 0; slot < n_slots; ++slot) {
      bool& known = seen[slot * kMostLevels + weighted.level[slot]];
      if (!known) piece.sees.push_back({static_cast<uint8_t>(slot), weighted.level[slot]});
      known = true;
    }
  }
}

Remembered make_remembered(const WeightedGroup& weighted, uint64_t& n_ids) {
  const TemplateGroup& group = *weighted.group;
  const size_t n_slots = group.slots.size();
  Remembered remembered{
      mix(++n_ids), &group, n_slots, n_slots + group.minor.has_value(), {}, {}, {}, {}};
  constexpr size_t kNone = ~size_t{0};
  std::vector<size_t> places(group.n_pieces(), kNone);  // of the pieces that have weights
  for (const WeightedTemplate& some : weighted.templates) {
    if (some.piece < 0) {
      remembered.rare.push_back(some);
      continue;
    }
    size_t& place = places[static_cast<size_t>(some.piece)];
    if (place == kNone) {
      place = remembered.pieces.size();
      remembered.pieces.push_back({mix(++n_ids), {}, {}});
    }
    remembered.pieces[place].templates.push_back(some);
  }
  for (Piece& piece : remembered.pieces) find_seen(piece, n_slots);
  return remembered;
}

void find_uses(SparsePlan& plan) {
  for (const bool of_span : {true, false}) {
    for (Remembered& remembered : plan.remembered) {
      for (size_t row = 0; row < remembered.n_rows; ++row) {
        const SlotUse& use = remembered.group->slot(row);
        if (use.is_of_span() != of_span) continue;
        const auto known = std::ranges::find(plan.uses, use);
        remembered.use[row] = static_cast<uint8_t>(known - plan.uses.begin());
        if (known == plan.uses.end()) plan.uses.push_back(use);
        if (!of_span) remembered.varying.push_back(static_cast<uint8_t>(row));
      }
    }
    if (of_span) plan.n_of_span = plan.uses.size();
  }
}

SparsePlan make_plan(std::span<const TemplateGroup> groups, const SparseTable& weights,
                     uint64_t& n_ids) {
  SparsePlan plan;
  for (const TemplateGroup& group : groups) {
    WeightedGroup weighted(group, weights);
    if (weighted.templates.empty()) continue;
    plan.needs_values |= std::ranges::any_of(group.slots, is_phrase);
    if (is_remembered(weighted)) {
      plan.remembered.push_back(make_remembered(weighted, n_ids));
    } else if (group.is_of_target_words()) {
      plan.of_target_words.push_back(std::move(weighted));
    } else {
      plan.plain.push_back(std::move(weighted));
    }
  }
  find_uses(plan);
  return plan;
}

}  // namespace

SparsePlans::SparsePlans(const TemplateSet& set, const SparseTable& weights) 
    : set_(&set), weights_(&weights) {
  uint64_t n_ids = 0;
  for (size_t scope = 0; scope < kNumScopes; ++scope) {
    plans_[scope] = make_plan(set.groups(static_cast<Scope>(scope)), weights, n_ids);
  }
}

}  // namespace calque
