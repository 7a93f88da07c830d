#include "decode/step_scorer.h"

#include <algorithm>

namespace calque {
namespace {

uint64_t pack(int32_t high, int32_t low) {
  return static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 | static_cast<uint32_t>(low);
}

}  // namespace

StepScorer::StepScorer(const TemplateSet& set, const SparseTable& weights) : scorer_(set, weights) {
  constexpr uint32_t kOfOption = kNeedsSource | kNeedsTarget | kNeedsNeighbour;
  for (const TemplateGroup& group : set.groups(Scope::kStep)) {
    const uint32_t needs = group.needs & ~kOfOption;
    auto part = std::ranges::find(parts_, needs, &Part::needs);
    if (part == parts_.end()) part = parts_.insert(part, {needs, {}, {}});
    part->groups.push_back(&group);
  }
}

SparseTable StepScorer::weights_of(const TemplateSet& set, const SparseTable& weights) {
  std::vector<bool> upper(size_t{1} << 16);
  for (const Scope scope : kScopes) {
    for (const TemplateGroup& group : set.groups(scope)) {
      for (const TemplateGroup::Member& member : group.members) upper[member.name >> 48] = true;
    }
  }
  return weights.part(upper);
}

void StepScorer::begin(const OptionTable& table) {
  table_ = &table;
  for (Part& part : parts_) part.known.clear();
  cubes_.clear();
  forwards_.clear();
}

float StepScorer::cube(int last_end, int begin, int end) {
  if (!scorer_.set().has(Scope::kCube)) return 0;
  const uint64_t key = extend_key(mix(static_cast<uint64_t>(last_end)), pack(begin, end));
  if (const float* known = cubes_.find(key)) return *known;
  StepView view;
  view.begin = begin;
  view.end = end;
  view.last_end = last_end;
  const float sum = scorer_.sum(Scope::kCube, table_->values(), view);
  cubes_.insert(key, sum);
  return sum;
}

float StepScorer::step(const StepContext& context, int32_t previous, const TargetHistory& history,
                       int32_t id) {
  float total = previous >= 0 ? forward(previous, context.forward) : 0;
  // Parts that are not known yet first send for the memory of all their weights.
  missing_.clear();
  for (Part& part : parts_) {
    const uint64_t key = part_key(part, context, previous, history, id);
    if (const float* known = part.known.find(key)) {
      total += *known;
    } else {
      missing_.push_back({&part, key, 0});
    }
  }
  if (missing_.empty()) return total;
  StepView view = table_->view(id);
  view.orientation = context.orientation;
  view.backward = context.backward;
  view.last_end = context.last_end;
  view.history = history.words;
  if (previous >= 0) {
    view.previous = &table_->block_values(previous);
    view.previous_row = (*table_)[previous].block;
  }
  scorer_.clear_keys();
  for (Missing& one : missing_) {
    for (const TemplateGroup* group : one.part->groups) {
      scorer_.add_keys(*group, table_->values(), view);
    }
    one.end = scorer_.n_keys();
  }
  size_t begin = 0;
  for (const Missing& one : missing_) {
    const float sum = scorer_.sum_keys(begin, one.end);
    one.part->known.insert(one.key, sum);
    total += sum;
    begin = one.end;
  }
  return total;
}

// What a part looks at, as one number.
uint64_t StepScorer::part_key(const Part& part, const StepContext& context, int32_t previous,
                              const TargetHistory& history, int32_t id) const {
  uint64_t key = mix(static_cast<uint32_t>(id));
  const auto add = [&](uint32_t needs, int value) {
    if (part.needs & needs) key = extend_key(key, static_cast<uint32_t>(value));
  };
  const Option* before = previous >= 0 ? &(*table_)[previous] : nullptr;
  add(kNeedsPreviousSource, before ? before->begin : -1);
  add(kNeedsPreviousSource, before ? before->end : -1);
  add(kNeedsPreviousTarget, before ? before->next_class : -1);
  add(kNeedsHistory, history.id);
  add(kNeedsJump | kNeedsLastWord, context.last_end);
  add(kNeedsOrientation, context.orientation);
  add(kNeedsBackward, context.backward);
  return key;
}

float StepScorer::forward(int32_t option, int orientation) {
  if (!scorer_.set().has(Scope::kForward)) return 0;
  const uint64_t key = pack(orientation, option);
  if (const float* known = forwards_.find(key)) return *known;
  StepView view = table_->view(option);
  view.forward = orientation;
  const float sum = scorer_.sum(Scope::kForward, table_->values(), view);
  forwards_.insert(key, sum);
  return sum;
}

}  // namespace calque
