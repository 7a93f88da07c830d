#include "decode/target.h"

#include <algorithm>
#include <utility>

namespace calque {

ForcedTarget::ForcedTarget(const ModelView& model, const DenseVector& weights,
                           std::span<const int32_t> reference, bool ends,
                           std::vector<int32_t> latest)
    : reference_(reference), ends_(ends), scores_{0}, latest_(std::move(latest)) {
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
