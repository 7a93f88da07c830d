#include "decode/chart/rule_runs.h"

#include <algorithm>

namespace calque {
namespace {

// The log probability of a word behind the words of a fragment, which it joins.
float append(const TargetLm& lm, int32_t word, LmFragment& fragment) {
  LmFragment next;
  const float log_prob = lm_word(lm.lm, lm.word(word), next);
  return log_prob + lm_join(lm.lm, fragment, next.left, next.right);
}

}  // namespace

ChartLmWeights chart_lm_weights(const ModelView& model, const WeightView& weights) {
  const auto& classes = model.dense().class_lm;
  return {static_cast<float>(model.dense().lm_weights(weights.dense, kMonotone).rest),
          classes ? static_cast<float>(weights.dense[classes->index]) : 0};
}

bool RuleRuns::Words::operator==(const Words& other) const {
  return std::ranges::equal(ids, other.ids);
}

uint64_t RuleRuns::Words::hash() const {
  uint64_t hash = ids.size();
  for (const int32_t id : ids) hash = mix(hash ^ static_cast<uint32_t>(id));
  return hash;
}

RuleRuns::RuleRuns(const ModelView& model, const WeightView& weights)
    : model_(model), weights_(chart_lm_weights(model, weights)) {}

void RuleRuns::clear() {
  words_.clear();
  runs_.clear();
  scored_.clear();
  scores_.clear();
}

int32_t RuleRuns::number(std::span<const int32_t> words, float& estimate) {
  const int32_t number = words_.intern({words});
  const auto at = static_cast<size_t>(number);
  if (at == runs_.size()) {
    runs_.push_back(score(words));
    scored_.push_back(scores_.size());
  }
  add_scores(at == 0 ? 0 : scored_[at - 1], scored_[at], estimate);
  return number;
}

RuleRun RuleRuns::make(std::span<const int32_t> words, float& estimate) {
  const size_t n_scores = scores_.size();
  const RuleRun run = score(words);
  add_scores(n_scores, scores_.size(), estimate);
  scores_.resize(n_scores);
  return run;
}

RuleRun RuleRuns::score(std::span<const int32_t> words) {
  RuleRun run;
  const auto& classes = model_.dense().class_lm;
  for (const int32_t word : words) {
    scores_.push_back(weights_.words * append(model_.lm, word, run.words));
    if (classes) scores_.push_back(weights_.classes * append(classes->lm, word, run.classes));
  }
  return run;
}

}  // namespace calque
