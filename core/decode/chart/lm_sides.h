// What language models still have to know of a partial translation: its left and its right side.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "decode/chart/rules.h"
#include "decode/model.h"
#include "flat_map.h"
#include "lm/lm_fragment.h"

namespace calque {

// What parts of a translation become together; states are numbers.
struct ChartJoin {
  double score;
  int32_t state;
};

// The policy of a chart search that translates: any words may stand side by side, and language models
// score them, the first words of a part as if nothing stood before.
class LmSides {
 public:
  // Nothing stands before, or fills a gap.
  static constexpr int32_t kNothing = -1;
  // What tells states apart: equal where no context can tell the words apart.
  using Key = std::array<int32_t, 4>;

  LmSides(const ModelView& model, const WeightView& weights);

  // Forgets the sentence before.
  void begin();

  // Whether scores are those of the parts and what `apply` and `append` give; else these are all.
  static constexpr bool adds_up() { return true; }
  // How many source words the parts cover that come next: no matter here.
  static void cover(int) {}

  // A rule whose gaps are filled, by their number, with translations of these states.
  ChartJoin apply(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& fillers);
  // What begins the sentence, or kNothing, and what follows it.
  ChartJoin append(int32_t before, int32_t following);
  Key key(int32_t state) const {
    const Sides& its = sides(state);
    return {its.words_left, its.words_right, its.classes_left, its.classes_right};
  }
  // What the end of the sentence adds.
  double finish(int32_t state) const;

 private:
  struct Sides {
    int32_t words_left = 0, words_right = 0, classes_left = 0, classes_right = 0;
  };
  int32_t add(const Sides& sides) {
    states_.push_back(sides);
    return static_cast<int32_t>(states_.size()) - 1;
  }
  const Sides& sides(int32_t state) const { return states_[static_cast<size_t>(state)]; }

  TargetLm words_;
  const ClassLm* classes_;
  ChartLmWeights weights_;
  Interner<LmLeft> words_left_, classes_left_;
  Interner<LmState> words_right_, classes_right_;
  std::vector<Sides> states_;  // equal ones again and again: whoever fills a span compares keys
};

}  // namespace calque
