// What language models still have to know of a partial translation: its left and its right side.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "decode/chart/lm_parts.h"
#include "decode/chart/rules.h"
#include "decode/model.h"

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

  // An `apply` or `append` of these that follows well after this does not wait for memory.
  void prefetch(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& fillers);
  [[gnu::always_inline]] void prefetch(int32_t before, int32_t following) const {
    words_.prefetch(sides_before(before).words, sides(following).words);
    classes_.prefetch(sides_before(before).classes, sides(following).classes);
  }
  // A rule whose gaps are filled, by their number, with translations of these states.
  ChartJoin apply(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& fillers);
  // What begins the sentence, or kNothing, and what follows it.
  ChartJoin append(int32_t before, int32_t following);
  Key key(int32_t state) const {
    const auto& [words, classes] = sides(state);
    return {words.left, words.right, classes.left, classes.right};
  }
  // What the end of the sentence adds.
  double finish(int32_t state) const;

 private:
  struct Sides {
    LmPart words, classes;
  };
  // A run of words of the table's rules, which is numbered once in a sentence.
  struct KnownRun {
    int32_t sentence = 0;
    Sides sides;
  };

  int32_t add(const Sides& sides) {
    states_.push_back(sides);
    return static_cast<int32_t>(states_.size()) - 1;
  }
  const Sides& sides(int32_t state) const { return states_[static_cast<size_t>(state)]; }

  Sides sides_of_piece(const RuleBook& rules, const Rule& rule, size_t piece,
                       const std::array<int32_t, 2>& fillers);
  Sides sides_of_run(const RuleBook& rules, const Rule& rule, int32_t run);
  Sides sides_before(int32_t state) const {
    return state == kNothing ? Sides{words_.sentence_begin(), classes_.sentence_begin()}
                             : sides(state);
  }
  Sides number(const RuleRun& run);

  TargetLm word_lm_;
  const ClassLm* class_lm_;
  ChartLmWeights weights_;
  LmParts words_, classes_;
  std::vector<Sides> states_;  // equal ones again and again: whoever fills a span compares keys
  int32_t sentence_ = 0;
  std::vector<KnownRun> runs_;  // by their numbers
};

}  // namespace calque
