// Words that stand side by side on target sides of rules, as language models score them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/chart/rule.h"
#include "decode/model.h"
#include "flat_map.h"

namespace calque {

// The weights of the language models.
struct ChartLmWeights {
  float words, classes;
};
ChartLmWeights chart_lm_weights(const ModelView& model, const WeightView& weights);

// Remembers runs from sentence to sentence: many rules have the same. Not thread-safe: one per thread.
class RuleRuns {
 public:
  RuleRuns(const ModelView& model, const WeightView& weights);

  void clear();
  size_t size() const { return runs_.size(); }
  const RuleRun& operator[](int32_t number) const { return runs_[static_cast<size_t>(number)]; }

  // The number of the run of these words of the block table. Adds to `estimate` what each of them
  // scores behind those before it.
  int32_t number(std::span<const int32_t> words, float& estimate);
  // A run that is not remembered.
  RuleRun make(std::span<const int32_t> words, float& estimate);

 private:
  struct Words {
    std::span<const int32_t> ids;

    bool operator==(const Words& other) const;
    uint64_t hash() const;
  };

  // Appends the weighted log probabilities of the words, one by one, to `scores_`.
  RuleRun score(std::span<const int32_t> words);
  void add_scores(size_t begin, size_t end, float& estimate) const {
    for (size_t i = begin; i < end; ++i) estimate += scores_[i];
  }

  ModelView model_;
  ChartLmWeights weights_;
  Interner<Words> words_;
  std::vector<RuleRun> runs_;    // by the numbers of their words
  std::vector<size_t> scored_;   // where the scores of each run end
  std::vector<float> scores_;
};

}  // namespace calque
