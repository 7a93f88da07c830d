#include "decode/phrase/step_scorer.h"

namespace calque {
namespace {

uint64_t pack(int32_t high, int32_t low) {
  return static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 | static_cast<uint32_t>(low);
}

}  // namespace

void StepScorer::begin(const OptionTable& table) {
  table_ = &table;
  steps_.begin_sentence();
  singles_.begin_sentence();
  cubes_.clear();
}

float StepScorer::cube(const StepContext& context, int begin, int end) {
  if (!singles_.has(Scope::kCube)) return 0;
  const uint64_t before = mix(pack(context.orientation, context.last_end));
  const uint64_t key = extend_key(before, pack(begin, end));
  if (const float* known = cubes_.find(key)) return *known;
  StepView view;
  view.begin = begin;
  view.end = end;
  view.last_end = context.last_end;
  view.orientation = context.orientation;
  const float sum = singles_.sum(Scope::kCube, table_->values(), view);
  cubes_.insert(key, sum);
  return sum;
}

void StepScorer::ask(const StepContext& context, int32_t previous,
                     std::span<const int32_t> history, int32_t option) {
  StepView view = table_->view(option);
  view.orientation = context.orientation;
  view.backward = context.backward;
  view.last_end = context.last_end;
  view.history = history;
  if (previous >= 0) {
    view.previous = &table_->block_values(previous);
    view.previous_row = (*table_)[previous].block;
  }
  steps_.ask(Scope::kStep, table_->values(), {&view, 1});
}

}  // namespace calque
