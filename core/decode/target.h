// What a search knows of the target words so far, as a policy: how a step scores, what it leads to.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "decode/options.h"
#include "flat_map.h"
#include "lm/target_lm.h"

namespace calque {

// States are dense integers, equal for histories that no continuation can tell apart.
struct TargetStep {
  float score;
  int32_t state;  // kRefused: these words may not follow
};
inline constexpr int32_t kRefused = -1;

// Any words may follow; a language model scores them.
class LmTarget {
 public:
  // `first` is the weight of words that begin an option, `rest` that of the others.
  LmTarget(const TargetLm& lm, double first, double rest) : lm_(lm), first_(first), rest_(rest) {}
  LmTarget(const ModelView& model, const WeightView& weights)
      : LmTarget(model.lm, model.dense().first_weight(weights.dense),
                 model.dense().rest_weight(weights.dense)) {}

  // Forgets the sentence before; the state of the beginning.
  int32_t begin() {
    states_.clear();
    steps_.clear();
    return states_.intern(lm_.begin());
  }

  // The words of an option after a state. `id` names the option in this sentence.
  TargetStep step(int32_t state, const Option& option, int32_t id) {
    const uint64_t key = static_cast<uint64_t>(state) << 32 | static_cast<uint32_t>(id);
    if (const TargetStep* known = steps_.find(key)) return *known;
    const LmStep scored = score_lm(lm_, states_[state], option.target, first_, rest_);
    const TargetStep step{static_cast<float>(scored.score), states_.intern(scored.state)};
    steps_.insert(key, step);
    return step;
  }

  // Whether the gaps of a coverage can be filled after a state.
  static constexpr bool has_future(const Coverage&, int32_t) { return true; }

  // What the end of the sentence adds.
  double finish(int32_t state) const { return rest_ * lm_.finish(states_[state]); }

 private:
  TargetLm lm_;
  double first_, rest_;
  Interner<LmState> states_;
  KeyMap<TargetStep> steps_;  // by state and option: the same step recurs for many coverages
};

// Any words may follow; a second language model, over their classes, scores them as well.
class ClassLmTarget {
 public:
  // Precondition: the model's features have a class language model.
  ClassLmTarget(const ModelView& model, const WeightView& weights);

  int32_t begin();
  TargetStep step(int32_t state, const Option& option, int32_t id);
  static constexpr bool has_future(const Coverage&, int32_t) { return true; }
  double finish(int32_t state) const;

 private:
  struct State {
    int32_t words, classes;  // states of the two models
    bool operator==(const State&) const = default;
    uint64_t hash() const {
      return mix(static_cast<uint64_t>(words) << 32 | static_cast<uint32_t>(classes));
    }
  };

  LmTarget words_, classes_;
  Interner<State> states_;
};

// Only the words of a reference may follow, and all of them must: the state is how many have. The
// probabilities of the language models depend on that number alone. spec: forced decoding with an
// index state.
class ForcedTarget {
 public:
  // `ends`: whether the end of the sentence is scored, which is so for all but prefixes.
  // `latest`: for each source word, the last place in the reference where an option of it matches.
  ForcedTarget(const ModelView& model, const WeightView& weights,
               std::span<const int32_t> reference, bool ends, std::vector<int32_t> latest);

  int32_t begin() const { return 0; }
  TargetStep step(int32_t state, const Option& option, int32_t id) const;
  // A word that was jumped over must still find its place. What lies beyond the last covered word
  // need not: it is in no prefix pair that ends before it.
  bool has_future(const Coverage& coverage, int32_t state) const;
  double finish(int32_t state) const;

 private:
  void add_lm(const TargetLm& lm, double first, double rest);

  std::span<const int32_t> reference_;
  bool ends_;
  std::vector<double> scores_;  // weighted, of the first j words where none begins a block; then the end
  std::vector<double> firsts_;  // what word j has more where it begins a block
  std::vector<int32_t> latest_;
};

}  // namespace calque
