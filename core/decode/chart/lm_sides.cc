#include "decode/chart/lm_sides.h"

namespace calque {

LmSides::LmSides(const ModelView& model, const WeightView& weights)
    : word_lm_(model.lm),
      class_lm_(model.dense().class_lm ? &*model.dense().class_lm : nullptr),
      weights_(chart_lm_weights(model, weights)),
      words_(word_lm_.lm),
      classes_((class_lm_ != nullptr ? class_lm_->lm : word_lm_).lm) {}

void LmSides::begin() {
  words_.begin();
  if (class_lm_ != nullptr) classes_.begin();
  states_.clear();
  ++sentence_;
}

void LmSides::prefetch(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& fillers) {
  const Rule& rule = rules[id];
  if (rule.n_pieces < 2) return;
  const Sides first = sides_of_piece(rules, rule, 0, fillers);
  const Sides second = sides_of_piece(rules, rule, 1, fillers);
  words_.prefetch(first.words, second.words);
  classes_.prefetch(first.classes, second.classes);
}

ChartJoin LmSides::apply(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& fillers) {
  const Rule& rule = rules[id];
  Sides sides;
  float change = 0, class_change = 0;
  for (size_t i = 0; i < rule.n_pieces; ++i) {
    const Sides next = sides_of_piece(rules, rule, i, fillers);
    if (i == 0) {
      sides = next;
      continue;
    }
    change += words_.join(sides.words, next.words);
    if (class_lm_ != nullptr) class_change += classes_.join(sides.classes, next.classes);
  }
  return {static_cast<double>(weights_.words * change + weights_.classes * class_change),
          add(sides)};
}

ChartJoin LmSides::append(int32_t before, int32_t following) {
  const Sides last = this->sides(following);
  Sides sides = sides_before(before);
  float change = weights_.words * words_.join(sides.words, last.words);
  if (class_lm_ != nullptr) {
    change += weights_.classes * classes_.join(sides.classes, last.classes);
  }
  return {static_cast<double>(change), add(sides)};
}

LmSides::Sides LmSides::sides_of_piece(const RuleBook& rules, const Rule& rule, size_t piece,
                                       const std::array<int32_t, 2>& fillers) {
  const int32_t number = rule.pieces[piece];
  return number < 0 ? sides(fillers[static_cast<size_t>(-1 - number)])
                    : sides_of_run(rules, rule, number);
}

LmSides::Sides LmSides::sides_of_run(const RuleBook& rules, const Rule& rule, int32_t run) {
  if (rule.block < 0) return number(rules.run(rule, run));
  const auto at = static_cast<size_t>(run);
  if (at >= runs_.size()) runs_.resize(at + 1);
  if (runs_[at].sentence != sentence_) runs_[at] = {sentence_, number(rules.run(rule, run))};
  return runs_[at].sides;
}

LmSides::Sides LmSides::number(const RuleRun& run) {
  Sides sides{words_.part(run.words), {}};
  if (class_lm_ != nullptr) sides.classes = classes_.part(run.classes);
  return sides;
}

double LmSides::finish(int32_t state) const {
  const Sides& sides = this->sides(state);
  double end = static_cast<double>(weights_.words) * word_lm_.finish(words_.right(sides.words));
  if (class_lm_ != nullptr) {
    end += static_cast<double>(weights_.classes) *
           class_lm_->lm.finish(classes_.right(sides.classes));
  }
  return end;
}

}  // namespace calque
