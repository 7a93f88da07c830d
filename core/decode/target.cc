#include "decode/target.h"

#include <algorithm>
#include <utility>

namespace calque {

ClassLmTarget::ClassLmTarget(const ModelView& model, const WeightView& weights)
    : words_(model, weights),
      classes_(model.dense().class_lm->lm, weights.dense[model.dense().class_lm->index],
               weights.dense[model.dense().class_lm->index]) {}

int32_t ClassLmTarget::begin() {
  states_.clear();
  return states_.intern({words_.begin(), classes_.begin()});
}

TargetStep ClassLmTarget::step(int32_t state, const Option& option, int32_t id) {
  const State from = states_[state];
  const TargetStep words = words_.step(from.words, option, id);
  const TargetStep classes = classes_.step(from.classes, option, id);
  return {words.score + classes.score, states_.intern({words.state, classes.state})};
}

double ClassLmTarget::finish(int32_t state) const {
  return words_.finish(states_[state].words) + classes_.finish(states_[state].classes);
}

ForcedTarget::ForcedTarget(const ModelView& model, const WeightView& weights,
                           std::span<const int32_t> reference, bool ends,
                           std::vector<int32_t> latest)
    : reference_(reference),
      ends_(ends),
      scores_(reference.size() + 2),
      firsts_(reference.size()),
      latest_(std::move(latest)) {
  const DenseSet& dense = model.dense();
  add_lm(model.lm, dense.first_weight(weights.dense), dense.rest_weight(weights.dense));
  if (dense.class_lm) {
    const double weight = weights.dense[dense.class_lm->index];
    add_lm(dense.class_lm->lm, weight, weight);
  }
}

void ForcedTarget::add_lm(const TargetLm& lm, double first, double rest) {
  LmState state = lm.begin();
  double sum = 0;
  for (size_t j = 0; j < reference_.size(); ++j) {
    LmState after;
    const double log_prob = lm.score(state, reference_[j], after);
    state = after;
    firsts_[j] += (first - rest) * log_prob;
    scores_[j + 1] += sum += rest * log_prob;
  }
  scores_.back() += sum + rest * lm.finish(state);
}

TargetStep ForcedTarget::step(int32_t state, const Option& option, int32_t) const {
  const auto from = static_cast<size_t>(state);
  const size_t to = from + option.target.size();
  if (to > reference_.size() ||
      !std::equal(option.target.begin(), option.target.end(), reference_.begin() + state)) {
    return {0, kRefused};
  }
  const double score = firsts_[from] + scores_[to] - scores_[from];
  return {static_cast<float>(score), static_cast<int32_t>(to)};
}

bool ForcedTarget::has_future(const Coverage& coverage, int32_t state) const {
  const auto in_time = [&](int word) { return latest_[static_cast<size_t>(word)] >= state; };
  uint64_t later = coverage.later;
  if (later != 0 && !in_time(coverage.first)) return false;
  for (int word = coverage.first + 1; later != 0; ++word, later >>= 1) {
    if ((later & 1) == 0 && !in_time(word)) return false;
  }
  return true;
}

double ForcedTarget::finish(int32_t state) const {
  const auto at = static_cast<size_t>(state);
  if (at != reference_.size()) return -std::numeric_limits<double>::infinity();
  return ends_ ? scores_[at + 1] - scores_[at] : 0;
}

}  // namespace calque
