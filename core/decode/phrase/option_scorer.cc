#include "decode/phrase/option_scorer.h"

namespace calque {

OptionScorer::OptionScorer(const ModelView& model, const WeightView& weights, int least_left_count)
    : model_(model),
      weights_(weights.dense),
      lm_weights_(model.dense().lm_weights(weights.dense, kMonotone)),
      least_left_count_(least_left_count) {}

Option OptionScorer::block(int begin, int end, int64_t row) const {
  Option option = start(begin, end, row, model_.blocks.target(row));
  add_columns(
      option, [row](const BlockColumn& column) { return column.at(row); },
      [row](const OrientationColumn& column, size_t way) { return column.at(row, way); });
  add_words(option);
  return option;
}

Option OptionScorer::copy(int position, std::span<const int32_t> target) const {
  Option option = start(position, position + 1, -1, target);
  add_columns(
      option, [](const BlockColumn& column) { return column.copied; },
      [](const OrientationColumn& column, size_t way) { return column.copied[way]; });
  add_words(option);
  return option;
}

Option OptionScorer::required(const Constraint& constraint) const {
  Option option = start(constraint.begin, constraint.end, -1, constraint.target);
  option.required = true;
  add_words(option);
  return option;
}

Option OptionScorer::start(int begin, int end, int64_t row, std::span<const int32_t> target) const {
  Option option{};
  option.begin = begin;
  option.end = end;
  option.block = row;
  option.target = target;
  option.may_follow_left = least_left_count_ == 0 || model_.events().left(row) >= least_left_count_;
  return option;
}

template <typename Value, typename OrientationValue>
void OptionScorer::add_columns(Option& option, Value value,
                               OrientationValue orientation_value) const {
  for (const BlockColumn& column : model_.dense().block_columns) {
    const auto score = static_cast<float>(weights_[column.index] * value(column));
    if (counts_in(column.steps, kMonotone)) option.score += score;
    if (column.steps == Steps::kAdjacent) option.previous[kDiscontinuous] -= score;
    if (column.steps == Steps::kNeutral) option.previous[kDiscontinuous] += score;
  }
  const auto add = [&](const OrientationColumn& column, std::array<float, 3>& scores) {
    for (size_t way = 0; way < scores.size(); ++way) {
      scores[way] += static_cast<float>(weights_[column.index] * orientation_value(column, way));
    }
  };
  for (const OrientationColumn& column : model_.dense().orientation_columns) {
    add(column, column.next ? option.next : option.previous);
  }
  for (const OrientationColumn& column : model_.dense().merged_columns) {
    add(column, column.next ? option.merged_next : option.merged_previous);
  }
}

// What the target words decide, whatever the block.
void OptionScorer::add_words(Option& option) const {
  option.lm_estimate = static_cast<float>(
      score_lm(model_.lm, model_.lm.empty(), option.target, lm_weights_.first, lm_weights_.rest)
          .score);
  if (const auto& classes = model_.dense().class_lm) {
    const double weight = weights_[classes->index];
    option.lm_estimate += static_cast<float>(
        score_lm(classes->lm, classes->lm.empty(), option.target, weight, weight).score);
  }
  option.words = 0;
  option.words_factor = 1;
  for (const int32_t word : option.target) {
    option.words = append_word(option.words, word);
    option.words_factor *= kWordsFactor;
  }
  const bool is_copy = option.block < 0 && !option.required;
  for (const CountComponent& count : model_.dense().counts) {
    option.score +=
        static_cast<float>(weights_[count.index] * count.at(option.target.size(), is_copy));
  }
}

}  // namespace calque
