// What a search knows of the target words so far, as a policy: how a step scores, what it leads to.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "decode/dense.h"
#include "decode/options.h"
#include "flat_map.h"
#include "lm/language_model.h"

namespace calque {

// States are dense integers, equal for histories that no continuation can tell apart.
struct TargetStep {
  float score;
  int32_t state;  // kRefused: these words may not follow
};
inline constexpr int32_t kRefused = -1;

// Any words may follow; the language model scores them.
class LmTarget {
 public:
  LmTarget(const ModelView& model, const DenseVector& weights)
      : model_(model), weight_(weights[kLanguageModel]) {}

  // Forgets the sentence before; the state of the beginning.
  int32_t begin() {
    states_.clear();
    steps_.clear();
    return states_.intern(model_.lm.begin());
  }

  // The words of an option after a state. `id` names the option in this sentence.
  TargetStep step(int32_t state, const Option& option, int32_t id) {
    const uint64_t key = static_cast<uint64_t>(state) << 32 | static_cast<uint32_t>(id);
    if (const TargetStep* known = steps_.find(key)) return *known;
    LmState at = states_[state];
    double log_prob = 0;
    for (const int32_t word : option.target) {
      LmState after;
      log_prob += static_cast<double>(model_.lm.score(at, model_.lm_word(word), after));
      at = after;
    }
    const TargetStep step{static_cast<float>(weight_ * log_prob), states_.intern(at)};
    steps_.insert(key, step);
    return step;
  }

  // Whether the gaps of a coverage can be filled after a state.
  static constexpr bool has_future(const Coverage&, int32_t) { return true; }

  // What the end of the sentence adds.
  double finish(int32_t state) const {
    LmState after;
    return weight_ * static_cast<double>(model_.lm.score(states_[state], kEndWord, after));
  }

 private:
  ModelView model_;
  double weight_;
  Interner<LmState> states_;
  KeyMap<TargetStep> steps_;  // by state and option: the same step recurs for many coverages
};

// Only the words of a reference may follow, and all of them must: the state is how many have. The
// language model's scores depend on that number alone. spec: forced decoding with an index state.
class ForcedTarget {
 public:
  // `ends`: whether the end of the sentence is scored, which is so for all but prefixes.
  // `latest`: for each source word, the last place in the reference where an option of it matches.
  ForcedTarget(const ModelView& model, const DenseVector& weights,
               std::span<const int32_t> reference, bool ends, std::vector<int32_t> latest);

  int32_t begin() const { return 0; }
  TargetStep step(int32_t state, const Option& option, int32_t id) const;
  // A word that was jumped over must still find its place. What lies beyond the last covered word
  // need not: it is in no prefix pair that ends before it.
  bool has_future(const Coverage& coverage, int32_t state) const;
  double finish(int32_t state) const;

 private:
  std::span<const int32_t> reference_;
  bool ends_;
  std::vector<double> scores_;  // weighted log probability of the first j words; last: of the end
  std::vector<int32_t> latest_;
};

}  // namespace calque
