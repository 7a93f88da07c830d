#include "decode/phrase/target.h"

#include <algorithm>
#include <utility>

namespace calque {

ContextTarget::ContextTarget(const ModelView& model, const WeightView& weights)
    : words_(model, weights), n_history_(weights.sparse ? model.sparse().n_history() : 0) {
  if (const auto& classes = model.dense().class_lm) {
    const double weight = weights.dense[classes->index];
    classes_.emplace(classes->lm, LmWeights{weight, weight});
  }
}

int32_t ContextTarget::begin() {
  states_.clear();
  steps_.clear();
  State state;
  state.words = words_.begin();
  if (classes_) state.classes = classes_->begin();
  return states_.intern(state);
}

TargetStep ContextTarget::step(int32_t state, const Option& option, int32_t id, int orientation) {
  const bool is_neutral = words_.has_neutral_weights(orientation);
  const uint64_t key = step_key(state, id, is_neutral);
  if (const TargetStep* known = steps_.find(key)) return *known;
  const State from = states_[state];
  State to;
  TargetStep step = words_.score(from.words, option, is_neutral);
  to.words = step.state;
  if (classes_) {
    const TargetStep classes = classes_->score(from.classes, option, false);
    step.score += classes.score;
    to.classes = classes.state;
  }
  append(from, option.target, to);
  step.state = states_.intern(to);
  steps_.insert(key, step);
  return step;
}

double ContextTarget::finish(int32_t state) const {
  const double words = words_.finish(states_[state].words);
  return classes_ ? words + classes_->finish(states_[state].classes) : words;
}

void ContextTarget::append(const State& from, std::span<const int32_t> words, State& to) const {
  const size_t n_new = std::min(words.size(), n_history_);
  const size_t n_old = std::min(static_cast<size_t>(from.n_history), n_history_ - n_new);
  const auto old = std::span(from.history).subspan(static_cast<size_t>(from.n_history) - n_old, n_old);
  const auto end = std::ranges::copy(old, to.history.begin()).out;
  std::ranges::copy(words.last(n_new), end);
  to.n_history = static_cast<int32_t>(n_old + n_new);
}

ForcedTarget::ForcedTarget(const ModelView& model, const WeightView& weights,
                           std::span<const int32_t> reference, bool ends,
                           std::vector<int32_t> latest)
    : reference_(reference),
      ends_(ends),
      n_history_(model.sparse().n_history()),
      latest_(std::move(latest)) {
  const DenseSet& dense = model.dense();
  for (const auto& [orientation, scores] :
       {std::pair(kMonotone, &adjacent_), std::pair(kDiscontinuous, &neutral_)}) {
    scores->sums.resize(reference.size() + 2);
    scores->firsts.resize(reference.size());
    add_lm(model.lm, reference, dense.lm_weights(weights.dense, orientation), *scores);
    if (!dense.class_lm) continue;
    const double weight = weights.dense[dense.class_lm->index];
    add_lm(dense.class_lm->lm, reference, {weight, weight}, *scores);
  }
}

void ForcedTarget::add_lm(const TargetLm& lm, std::span<const int32_t> reference,
                          const LmWeights& weights, Scores& scores) {
  LmState state = lm.begin();
  double sum = 0;
  for (size_t j = 0; j < reference.size(); ++j) {
    LmState after;
    const double log_prob = lm.score(state, reference[j], after);
    state = after;
    scores.firsts[j] += (weights.first - weights.rest) * log_prob;
    scores.sums[j + 1] += sum += weights.rest * log_prob;
  }
  scores.sums.back() += sum + weights.rest * lm.finish(state);
}

TargetStep ForcedTarget::step(int32_t state, const Option& option, int32_t, int orientation) const {
  const auto from = static_cast<size_t>(state);
  const size_t to = from + option.target.size();
  if (to > reference_.size() ||
      !std::equal(option.target.begin(), option.target.end(), reference_.begin() + state)) {
    return {0, kRefused};
  }
  const auto& [sums, firsts] = orientation == kDiscontinuous ? neutral_ : adjacent_;
  return {static_cast<float>(firsts[from] + sums[to] - sums[from]), static_cast<int32_t>(to)};
}

bool ForcedTarget::has_future(const Coverage& coverage, int, int32_t state) const {
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
  return ends_ ? adjacent_.sums[at + 1] - adjacent_.sums[at] : 0;
}

}  // namespace calque
