// Sums of the weights of the sparse features that fire.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "features/sparse_table.h"
#include "features/templates.h"
#include "flat_map.h"

namespace calque {

// Templates of a few words each recur with the same words in many steps: what a group of them adds
// is remembered, from sentence to sentence, by the texts that it looks at. Not thread-safe: one per
// thread.
class SparseScorer {
 public:
  SparseScorer(const TemplateSet& set, const SparseTable& weights);

  const TemplateSet& set() const { return *set_; }

  // The weights of everything that a scope gives a step.
  float sum(Scope scope, const SentenceValues& sentence, const StepView& step);
  // Whether the templates of a scope look at whole phrases (`StepView::values`).
  bool needs_values(Scope scope) const { return plan(scope).needs_values; }

  // The same in two parts, for the templates of chosen groups: first the keys of all of them, whose
  // memory is then on its way, later the sum of those between two places.
  void clear_keys() { keys_.clear(); }
  size_t n_keys() const { return keys_.size(); }
  void add_keys(const TemplateGroup& group, const SentenceValues& sentence, const StepView& step) {
    Binder(sentence, step).for_each(group, [&](const Rows& rows) { add_keys(group, rows); });
  }
  float sum_keys(size_t from, size_t to) const {
    float sum = 0;
    for (size_t i = from; i < to; ++i) sum += weights_->get(keys_[i]);
    return sum;
  }

 private:
  static constexpr size_t kMostRemembered = 1 << 20;  // some 32 MB

  // A group that is remembered, together with the one that has the same slots but for the length of
  // the source, if there is one.
  struct Remembered {
    const TemplateGroup* group;
    const TemplateGroup* shorter;
  };
  struct Plan {
    std::vector<const TemplateGroup*> plain;
    std::vector<Remembered> remembered;
    bool needs_values = false;
  };

  const Plan& plan(Scope scope) const { return plans_[static_cast<size_t>(scope)]; }
  void add_keys(const TemplateGroup& group, const Rows& rows) {
    for (const TemplateGroup::Member& member : group.members) {
      keys_.push_back(key_of(member, rows, group.slots.size()));
      weights_->prefetch(keys_.back());
    }
  }
  // A group that is not remembered yet; its keys end at `end`.
  struct Missing {
    uint64_t key;
    float shorter;   // what the shorter group adds,
    bool is_longer;  // or else the one just before is that
    size_t end;
    size_t part;     // of `parts_`
  };
  const float* recall(const TemplateGroup& group, const Rows& rows, uint64_t& key);
  void recall(const Remembered& one, const Rows& rows);

  const TemplateSet* set_;
  const SparseTable* weights_;
  std::array<Plan, kNumScopes> plans_;
  std::vector<uint64_t> keys_;
  std::vector<Missing> missing_;
  std::vector<float> parts_;  // what each remembered group adds
  KeyMap<float> remembered_;
};

}  // namespace calque
