// Options by their dense features, as far as a block decides these alone.
#pragma once

#include <cstdint>
#include <span>

#include "decode/model.h"
#include "decode/phrase/options.h"
#include "features/feature_set.h"

namespace calque {

// Which step leads to an option is not known yet: `score` and `lm_estimate` take it as adjacent, and
// `previous` has what is otherwise in a neutral one. Model and weights must outlive the object.
class OptionScorer {
 public:
  // `least_left_count` as in OptionUse.
  OptionScorer(const ModelView& model, const WeightView& weights, int least_left_count);

  // A block of the table; a source word that is copied to `target`; what the user requires.
  Option block(int begin, int end, int64_t row) const;
  Option copy(int position, std::span<const int32_t> target) const;
  Option required(const Constraint& constraint) const;

 private:
  Option start(int begin, int end, int64_t row, std::span<const int32_t> target) const;
  template <typename Value, typename OrientationValue>
  void add_columns(Option& option, Value value, OrientationValue orientation_value) const;
  void add_words(Option& option) const;

  ModelView model_;
  std::span<const double> weights_;
  LmWeights lm_weights_;
  int least_left_count_;
};

}  // namespace calque
