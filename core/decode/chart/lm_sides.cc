#include "decode/chart/lm_sides.h"

namespace calque {

LmSides::LmSides(const ModelView& model, const WeightView& weights)
    : words_(model.lm),
      classes_(model.dense().class_lm ? &*model.dense().class_lm : nullptr),
      weights_(chart_lm_weights(model, weights)) {}

void LmSides::begin() {
  words_left_.clear();
  words_right_.clear();
  classes_left_.clear();
  classes_right_.clear();
  states_.clear();
}

ChartJoin LmSides::apply(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& fillers) {
  const Rule& rule = rules[id];
  LmFragment words, classes;
  float change = 0, class_change = 0;
  for (size_t i = 0; i < rule.n_pieces; ++i) {
    const int32_t piece = rule.pieces[i];
    if (piece < 0) {
      const Sides& filler = this->sides(fillers[static_cast<size_t>(-1 - piece)]);
      change += lm_join(words_.lm, words, words_left_[filler.words_left],
                        words_right_[filler.words_right]);
      if (classes_ != nullptr) {
        class_change += lm_join(classes_->lm.lm, classes, classes_left_[filler.classes_left],
                                classes_right_[filler.classes_right]);
      }
    } else {
      const RuleRun& run = rules.run(rule, piece);
      change += lm_join(words_.lm, words, run.words.left, run.words.right);
      if (classes_ != nullptr) {
        class_change += lm_join(classes_->lm.lm, classes, run.classes.left, run.classes.right);
      }
    }
  }
  Sides sides;
  sides.words_left = words_left_.intern(words.left);
  sides.words_right = words_right_.intern(words.right);
  if (classes_ != nullptr) {
    sides.classes_left = classes_left_.intern(classes.left);
    sides.classes_right = classes_right_.intern(classes.right);
  }
  return {static_cast<double>(weights_.words * change + weights_.classes * class_change),
          add(sides)};
}

ChartJoin LmSides::append(int32_t before, int32_t following) {
  const Sides last = this->sides(following);
  LmFragment words = lm_begin(words_.lm);
  if (before != kNothing) words.right = words_right_[this->sides(before).words_right];
  float change = weights_.words *
                 lm_join(words_.lm, words, words_left_[last.words_left], words_right_[last.words_right]);
  Sides sides;  // nothing can stand on the left
  sides.words_right = words_right_.intern(words.right);
  if (classes_ != nullptr) {
    LmFragment classes = lm_begin(classes_->lm.lm);
    if (before != kNothing) classes.right = classes_right_[this->sides(before).classes_right];
    change += weights_.classes * lm_join(classes_->lm.lm, classes, classes_left_[last.classes_left],
                                         classes_right_[last.classes_right]);
    sides.classes_right = classes_right_.intern(classes.right);
  }
  return {static_cast<double>(change), add(sides)};
}

double LmSides::finish(int32_t state) const {
  const Sides& sides = this->sides(state);
  double end = static_cast<double>(weights_.words) * words_.finish(words_right_[sides.words_right]);
  if (classes_ != nullptr) {
    end += static_cast<double>(weights_.classes) *
           classes_->lm.finish(classes_right_[sides.classes_right]);
  }
  return end;
}

}  // namespace calque
