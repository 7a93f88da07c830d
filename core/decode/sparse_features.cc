#include "decode/sparse_features.h"

#include <algorithm>

#include "decode/merged.h"

namespace calque {

SparseVector extract_sparse(const ModelView& model, const SentenceView& sentence,
                            std::span<const Step> steps, bool ends) {
  const TemplateSet& set = model.sparse();
  SparseVector vector;
  if (set.empty()) return vector;
  SentenceValues values;
  values.begin(set, sentence.levels);
  std::vector<uint64_t> fired;
  const auto fire = [&](Scope scope, const StepView& view) {
    Binder binder(values, view);
    for (const TemplateGroup& group : set.groups(scope)) {
      binder.for_each(group, [&](const Rows& rows) {
        for (const auto& member : group.members()) {
          fired.push_back(key_of(group, member, rows));
        }
      });
    }
  };

  std::vector<int32_t> words;
  std::vector<bool> covered(sentence.words.size());
  MergedBlocks merged;
  int32_t stack = merged.begin();
  StepView last;
  for (const Step& step : steps) {
    StepView view;
    view.begin = step.begin;
    view.end = step.end;
    view.row = step.block;
    view.target = step.target;
    view.values = values.block(step.begin, step.end, step.target);
    view.orientation = step.orientation;
    view.backward = merged.orientation(stack, step.begin, step.end);
    stack = merged.push(stack, step.begin, step.end);
    view.last_end = last.end;
    view.history = words;
    if (!words.empty()) {
      view.previous = &last.values;
      view.previous_row = last.row;
      last.forward =
          forward_orientation(last.begin, last.end, step.begin, step.end,
                              [&](int word) { return !covered[static_cast<size_t>(word)]; });
      fire(Scope::kForward, last);
    }
    for (const Scope scope : {Scope::kPhrase, Scope::kBlock, Scope::kSpan, Scope::kOption,
                              Scope::kOrientation, Scope::kCube, Scope::kStep}) {
      fire(scope, view);
    }
    words.insert(words.end(), step.target.begin(), step.target.end());
    std::fill(covered.begin() + step.begin, covered.begin() + step.end, true);
    last = view;
  }
  if (ends && !steps.empty()) {
    last.forward = forward_at_end(last.end, sentence.size());
    fire(Scope::kForward, last);
  }

  std::ranges::sort(fired);
  for (const uint64_t key : fired) {
    if (vector.keys.empty() || vector.keys.back() != key) {
      vector.keys.push_back(key);
      vector.counts.push_back(0);
    }
    vector.counts.back() += 1;
  }
  return vector;
}

}  // namespace calque
