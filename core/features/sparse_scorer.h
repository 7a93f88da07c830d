// Sums of the weights of the sparse features that fire.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/sparse_table.h"
#include "features/templates.h"
#include "flat_map.h"

namespace calque {

// Not thread-safe: one per thread.
class SparseScorer {
 public:
  SparseScorer(const TemplateSet& set, const SparseTable& weights) : set_(&set), weights_(&weights) {}

  const TemplateSet& set() const { return *set_; }

  // The weights of everything that some groups give a step. The memory of all keys is on its way
  // before the first weight is read.
  float sum(std::span<const TemplateGroup> groups, const SentenceValues& sentence,
            const StepView& step) {
    keys_.clear();
    for (const TemplateGroup& group : groups) collect(group, sentence, step);
    return sum_keys();
  }
  float sum(std::span<const TemplateGroup* const> groups, const SentenceValues& sentence,
            const StepView& step) {
    keys_.clear();
    for (const TemplateGroup* group : groups) collect(*group, sentence, step);
    return sum_keys();
  }

  // The same where the same few words recur in many steps: what a group adds is remembered, from
  // sentence to sentence, by the texts that it looks at.
  float sum_remembered(std::span<const TemplateGroup> groups, const SentenceValues& sentence,
                       const StepView& step);

 private:
  static constexpr size_t kMostRemembered = 1 << 19;  // some 16 MB

  void collect(const TemplateGroup& group, const SentenceValues& sentence, const StepView& step) {
    Binder(sentence, step).for_each(group, [&](const Rows& rows) { collect(group, rows); });
  }
  void collect(const TemplateGroup& group, const Rows& rows) {
    for (const TemplateGroup::Member& member : group.members) {
      keys_.push_back(key_of(member, rows, group.slots.size()));
      weights_->prefetch(keys_.back());
    }
  }
  float sum_keys() const {
    float sum = 0;
    for (const uint64_t key : keys_) sum += weights_->get(key);
    return sum;
  }

  const TemplateSet* set_;
  const SparseTable* weights_;
  std::vector<uint64_t> keys_;
  KeyMap<float> remembered_;
};

}  // namespace calque
