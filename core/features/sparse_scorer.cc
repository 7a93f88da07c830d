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
  // First the keys of everything that is not remembered: while their memory is on its way, the rest.
  keys_.clear();
  missing_.clear();
  for (const TemplateGroup* group : plan(scope).plain) add_keys(*group, sentence, step);
  const size_t n_plain = keys_.size();
  parts_.clear();
  Binder binder(sentence, step);
  for (const Remembered& one : plan(scope).remembered) {
    binder.for_each(*one.group, [&](const Rows& rows) { recall(one, rows); });
  }
  float sum = sum_keys(0, n_plain);
  size_t begin = n_plain;
  float last = 0;
  for (const Missing& one : missing_) {
    last = sum_keys(begin, one.end) + (one.is_longer ? last : one.shorter);
    begin = one.end;
    remembered_.insert(one.key, last);
    parts_[one.part] = last;  // a shorter one is overwritten by the longer that follows
  }
  // Always in this order: a sum does not depend on what is remembered.
  for (const float part : parts_) sum += part;
  return sum;
}

// What a group adds for these values, or null; `key` is what it is remembered by.
const float* SparseScorer::recall(const TemplateGroup& group, const Rows& rows, uint64_t& key) {
  // All levels of a word follow from its text, which is the first.
  key = reinterpret_cast<uintptr_t>(&group);
  for (size_t i = 0; i < group.slots.size(); ++i) key = extend_key(key, rows[i][0]);
  return remembered_.find(key);
}

// Appends what a group and its shorter one add to `parts_`, or a place for it and to `missing_`.
void SparseScorer::recall(const Remembered& one, const Rows& rows) {
  uint64_t key;
  const float* known = recall(*one.group, rows, key);
  parts_.push_back(known != nullptr ? *known : 0);
  if (known != nullptr) return;
  Missing missing{key, 0, false, 0, parts_.size() - 1};
  if (one.shorter != nullptr) {
    uint64_t shorter_key;
    if (const float* shorter = recall(*one.shorter, rows, shorter_key)) {
      missing.shorter = *shorter;
    } else {
      add_keys(*one.shorter, rows);
      missing_.push_back({shorter_key, 0, false, keys_.size(), missing.part});
      missing.is_longer = true;
    }
  }
  add_keys(*one.group, rows);
  missing.end = keys_.size();
  missing_.push_back(missing);
}

}  // namespace calque
