// What a search knows of the target words so far, as a policy: how a step scores, what it leads to.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "decode/phrase/options.h"
#include "flat_map.h"
#include "lm/target_lm.h"

namespace calque {

// States are dense integers, equal for histories that no continuation can tell apart.
struct TargetStep {
  float score;
  int32_t state;  // kRefused: these words may not follow
};
inline constexpr int32_t kRefused = -1;
inline uint64_t step_key(int32_t state, int32_t option, bool is_neutral) {
  return static_cast<uint64_t>(state) << 32 | static_cast<uint64_t>(is_neutral) << 31 |
         static_cast<uint32_t>(option);
}

// Any words may follow; a language model scores them.
class LmTarget {
 public:
  // With the same weights in every step.
  LmTarget(const TargetLm& lm, const LmWeights& weights)
      : lm_(lm), weights_(weights), neutral_weights_(weights), splits_(false) {}
  LmTarget(const ModelView& model, const WeightView& weights)
      : lm_(model.lm),
        weights_(model.dense().lm_weights(weights.dense, kMonotone)),
        neutral_weights_(model.dense().lm_weights(weights.dense, kDiscontinuous)),
        splits_(model.dense().splits_lm()) {}

  // Forgets the sentence before; the state of the beginning.
  int32_t begin() {
    states_.clear();
    steps_.clear();
    return states_.intern(lm_.begin());
  }

  // The words of an option after a state, in a step of an orientation. `id` names the option in this
  // sentence.
  TargetStep step(int32_t state, const Option& option, int32_t id, int orientation) {
    const bool is_neutral = has_neutral_weights(orientation);
    const uint64_t key = step_key(state, id, is_neutral);
    if (const TargetStep* known = steps_.find(key)) return *known;
    const TargetStep step = score(state, option, is_neutral);
    steps_.insert(key, step);
    return step;
  }
  // The same, computed anew.
  TargetStep score(int32_t state, const Option& option, bool is_neutral) {
    const auto& [first, rest] = is_neutral ? neutral_weights_ : weights_;
    const LmStep scored = score_lm(lm_, states_[state], option.target, first, rest);
    return {static_cast<float>(scored.score), states_.intern(scored.state)};
  }
  // Whether a step of an orientation has weights of its own.
  bool has_neutral_weights(int orientation) const {
    return splits_ && orientation == kDiscontinuous;
  }

  // Whether the gaps of a coverage can be filled after a block that ended at `last_end` and a state.
  static constexpr bool has_future(const Coverage&, int, int32_t) { return true; }

  // Whether `look_ahead` tells the score after a step without making it.
  static constexpr bool looks_ahead() { return false; }

  // Whether only complete translations are of use, none of a part of the sentence.
  static constexpr bool completes() { return true; }

  // Whether the end of the sentence is scored, and what it adds.
  static constexpr bool ends() { return true; }
  double finish(int32_t state) const { return weights_.rest * lm_.finish(states_[state]); }

  // The last words, where templates look at them, the last one last.
  static std::span<const int32_t> history(int32_t) { return {}; }

 private:
  TargetLm lm_;
  LmWeights weights_, neutral_weights_;
  bool splits_;  // whether these two differ
  Interner<LmState> states_;
  KeyMap<TargetStep> steps_;  // the same step recurs for many coverages
};

// Any words may follow, and more is known of them: their classes, which a second language model
// scores, or the last of them, which templates look at.
class ContextTarget {
 public:
  ContextTarget(const ModelView& model, const WeightView& weights);

  int32_t begin();
  TargetStep step(int32_t state, const Option& option, int32_t id, int orientation);
  static constexpr bool has_future(const Coverage&, int, int32_t) { return true; }
  static constexpr bool completes() { return true; }
  static constexpr bool looks_ahead() { return false; }
  double finish(int32_t state) const;
  static constexpr bool ends() { return true; }
  // Valid until the next step.
  std::span<const int32_t> history(int32_t state) const {
    return std::span(states_[state].history).first(static_cast<size_t>(states_[state].n_history));
  }

 private:
  struct State {
    int32_t words = 0, classes = 0;              // states of the two models
    std::array<int32_t, kMaxHistory> history{};  // the last words; unused ones are 0
    int32_t n_history = 0;
    bool operator==(const State&) const = default;
    uint64_t hash() const {
      uint64_t hash = mix(static_cast<uint64_t>(words) << 32 | static_cast<uint32_t>(classes));
      for (int i = 0; i < n_history; ++i) {
        hash = mix(hash ^ static_cast<uint32_t>(history[static_cast<size_t>(i)]));
      }
      return hash;
    }
  };
  void append(const State& from, std::span<const int32_t> words, State& to) const;

  LmTarget words_;
  std::optional<LmTarget> classes_;
  size_t n_history_;
  Interner<State> states_;
  KeyMap<TargetStep> steps_;
};

// Only the words of a reference may follow, and all of them must: the state is how many have. The
// probabilities of the language models depend on that number alone (forced
// decoding of Yu et al. 2013, with the place in the reference as state).
class ForcedTarget {
 public:
  // `ends`: whether the end of the sentence is scored, which is so for all but prefixes.
  // `latest`: for each source word, the last place in the reference where an option of it matches.
  ForcedTarget(const ModelView& model, const WeightView& weights,
               std::span<const int32_t> reference, bool ends, std::vector<int32_t> latest);

  int32_t begin() const { return 0; }
  TargetStep step(int32_t state, const Option& option, int32_t id, int orientation) const;
  // A word that was jumped over must still find its place. What lies beyond the last covered word
  // need not: it is in no prefix pair that ends before it.
  bool has_future(const Coverage& coverage, int last_end, int32_t state) const;
  static constexpr bool completes() { return false; }  // so are prefix pairs; nothing is pruned
  static constexpr bool looks_ahead() { return false; }
  bool ends() const { return ends_; }
  double finish(int32_t state) const;
  std::span<const int32_t> history(int32_t state) const {
    const auto n = std::min(n_history_, static_cast<size_t>(state));
    return reference_.subspan(static_cast<size_t>(state) - n, n);
  }

 private:
  // Weighted, as adjacent steps or as neutral ones count.
  struct Scores {
    std::vector<double> sums;    // of the first j words where none begins a block; then of the end
    std::vector<double> firsts;  // what word j has more where it begins a block
  };
  static void add_lm(const TargetLm& lm, std::span<const int32_t> reference,
                     const LmWeights& weights, Scores& scores);

  std::span<const int32_t> reference_;
  bool ends_;
  size_t n_history_;
  Scores adjacent_, neutral_;
  std::vector<int32_t> latest_;
};

// Calls visit(target) with the policy that the features ask for.
template <typename Visit>
auto with_target(const ModelView& model, const WeightView& weights, Visit visit) {
  const bool has_history = weights.sparse != nullptr && model.sparse().n_history() > 0;
  if (model.dense().class_lm || has_history) return visit(ContextTarget(model, weights));
  return visit(LmTarget(model, weights));
}

}  // namespace calque
