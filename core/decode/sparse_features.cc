#include "decode/sparse_features.h"

#include <algorithm>

#include "decode/merged.h"

namespace calque {

void FiredFeatures::add(Scope scope, const StepView& step) {
  Binder binder(values_, step);
  for (const TemplateGroup& group : set_.groups(scope)) {
    binder.for_each(group, [&](const Rows& rows) {
      for (const auto& member : group.members()) keys_.push_back(key_of(group, member, rows));
    });
  }
}

SparseVector FiredFeatures::counted() {
  SparseVector vector;
  std::ranges::sort(keys_);
  for (const uint64_t key : keys_) {
    if (vector.keys.empty() || vector.keys.back() != key) {
      vector.keys.push_back(key);
      vector.counts.push_back(0);
    }
    vector.counts.back() += 1;
  }
  return vector;
}

SparseVector extract_sparse(const ModelView& model, const SentenceView& sentence,
                            std::span<const Step> steps, bool ends) {
  const TemplateSet& set = model.sparse();
  if (set.empty()) return {};
  FiredFeatures fired(set, sentence);
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
    view.values = fired.block(step.begin, step.end, step.target);
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
      fired.add(Scope::kForward, last);
    }
    for (const Scope scope : {Scope::kPhrase, Scope::kBlock, Scope::kSpan, Scope::kOption,
                              Scope::kOrientation, Scope::kCube, Scope::kStep}) {
      fired.add(scope, view);
    }
    words.insert(words.end(), step.target.begin(), step.target.end());
    std::fill(covered.begin() + step.begin, covered.begin() + step.end, true);
    last = view;
  }
  if (ends && !steps.empty()) {
    last.forward = forward_at_end(last.end, sentence.size());
    fired.add(Scope::kForward, last);
  }

  return fired.counted();
}

}  // namespace calque
