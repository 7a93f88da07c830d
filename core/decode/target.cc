#include "decode/target.h"

#include <algorithm>

namespace calque {

ForcedTarget::ForcedTarget(const ModelView& model, const DenseVector& weights,
                           std::span<const int32_t> reference, bool ends)
    : reference_(reference), ends_(ends), scores_{0} {
  LmState state = model.lm.begin();
  const auto add = [&](int32_t word) {
    LmState after;
    const auto log_prob = static_cast<double>(model.lm.score(state, word, after));
    scores_.push_back(scores_.back() + weights[kLanguageModel] * log_prob);
    state = after;
  };
  for (const int32_t word : reference) add(model.lm_word(word));
  add(kEndWord);
}

TargetStep ForcedTarget::step(int32_t state, const Option& option, int32_t) const {
  const auto from = static_cast<size_t>(state);
  const size_t to = from + option.target.size();
  if (to > reference_.size() ||
      !std::equal(option.target.begin(), option.target.end(), reference_.begin() + state)) {
    return {0, kRefused};
  }
  return {static_cast<float>(scores_[to] - scores_[from]), static_cast<int32_t>(to)};
}

double ForcedTarget::finish(int32_t state) const {
  const auto at = static_cast<size_t>(state);
  if (at != reference_.size()) return -std::numeric_limits<double>::infinity();
  return ends_ ? scores_[at + 1] - scores_[at] : 0;
}

}  // namespace calque
