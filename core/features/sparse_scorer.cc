#include "features/sparse_scorer.h"

#include <algorithm>

namespace calque {
namespace {

constexpr size_t kFewMembers = 4;  // not worth remembering

bool is_phrase(const SlotUse& use) {
  return use.slot == Slot::kBlock || use.slot == Slot::kSource || use.slot == Slot::kTarget;
}

// Whether the texts of a group's words, which are few, decide what it adds.
bool is_remembered(const TemplateGroup& group) {
  return !group.has_loop() && !group.listed && group.members.size() >= kFewMembers &&
         std::ranges::none_of(group.slots, is_phrase);
}

bool is_longer(const TemplateGroup& group, const TemplateGroup& shorter) {
  return group.copies == shorter.copies && group.slots.size() == shorter.slots.size() + 1 &&
         group.slots.back().slot == Slot::kSourceLength &&
         std::equal(shorter.slots.begin(), shorter.slots.end(), group.slots.begin());
}

}  // namespace

SparseScorer::SparseScorer(const TemplateSet& set, const SparseTable& weights)
    : set_(&set), weights_(&weights) {
  for (size_t scope = 0; scope < kNumScopes; ++scope) {
    Plan& plan = plans_[scope];
    std::vector<const TemplateGroup*> known;
    for (const TemplateGroup& group : set.groups(static_cast<Scope>(scope))) {
      (is_remembered(group) ? known : plan.plain).push_back(&group);
      plan.needs_values |= std::ranges::any_of(group.slots, is_phrase);
    }
    // Each with its shorter one; what is left is on its own.
    std::vector<const TemplateGroup*> taken;
    for (const TemplateGroup* group : known) {
      const auto shorter =
          std::ranges::find_if(known, [&](const auto* other) { return is_longer(*group, *other); });
      if (shorter == known.end()) continue;
      plan.remembered.push_back({group, *shorter});
      taken.push_back(group);
      taken.push_back(*shorter);
    }
    for (const TemplateGroup* group : known) {
      if (std::ranges::find(taken, group) == taken.end()) plan.remembered.push_back({group, nullptr});
    }
  }
}

float SparseScorer::sum(Scope scope, const SentenceValues& sentence, const StepView& step) {
  if (remembered_.size() > kMostRemembered) remembered_.clear();
  keys_.clear();
  for (const TemplateGroup* group : plan(scope).plain) add_keys(*group, sentence, step);
  float sum = sum_keys(0, keys_.size());
  Binder binder(sentence, step);
  for (const auto [group, shorter] : plan(scope).remembered) {
    binder.for_each(*group, [&](const Rows& rows) { sum += recall(*group, shorter, rows); });
  }
  return sum;
}

// What a group adds for these values, and what `shorter` does.
float SparseScorer::recall(const TemplateGroup& group, const TemplateGroup* shorter,
                           const Rows& rows) {
  // All levels of a word follow from its text, which is the first.
  uint64_t key = reinterpret_cast<uintptr_t>(&group);
  for (size_t i = 0; i < group.slots.size(); ++i) key = extend_key(key, rows[i][0]);
  if (const float* known = remembered_.find(key)) return *known;
  float sum = shorter == nullptr ? 0 : recall(*shorter, nullptr, rows);
  keys_.clear();
  add_keys(group, rows);
  sum += sum_keys(0, keys_.size());
  remembered_.insert(key, sum);
  return sum;
}

}  // namespace calque
