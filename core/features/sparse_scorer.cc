#include "features/sparse_scorer.h"

namespace calque {

float SparseScorer::sum_remembered(std::span<const TemplateGroup> groups,
                                   const SentenceValues& sentence, const StepView& step) {
  if (remembered_.size() > kMostRemembered) remembered_.clear();
  float sum = 0;
  for (const TemplateGroup& group : groups) {
    Binder(sentence, step).for_each(group, [&](const Rows& rows) {
      // All levels of a word follow from its text, which is the first.
      uint64_t key = reinterpret_cast<uintptr_t>(&group);
      for (size_t i = 0; i < group.slots.size(); ++i) key = extend_key(key, rows[i][0]);
      if (const float* known = remembered_.find(key)) {
        sum += *known;
        return;
      }
      keys_.clear();
      collect(group, rows);
      const float found = sum_keys();
      remembered_.insert(key, found);
      sum += found;
    });
  }
  return sum;
}

}  // namespace calque
