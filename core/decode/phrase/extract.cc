#include "decode/phrase/extract.h"

#include <algorithm>
#include <cstdlib>

#include "decode/phrase/merged.h"
#include "error.h"

namespace calque {
namespace {

// Whether the step's block translates the words of its span into its target.
bool has_block(const BlockTable& table, const SentenceView& sentence, const Step& step) {
  const auto begin = static_cast<size_t>(step.begin);
  const int64_t phrase =
      table.find(sentence.words.subspan(begin, static_cast<size_t>(step.end) - begin));
  if (phrase < 0) return false;
  const auto [first, last] = table.blocks(phrase);
  return step.block >= first && step.block < last &&
         std::ranges::equal(step.target, table.target(step.block));
}

// What orientations towards merged blocks add; `ends` as in extract_features.
void add_merged(const DenseSet& dense, std::span<const Step> steps, int n_words, bool ends,
                std::vector<double>& features) {
  const auto add = [&](const Step& step, bool next, Orientation orientation) {
    const auto way = static_cast<size_t>(orientation);
    for (const OrientationColumn& column : dense.merged_columns) {
      if (column.next != next || step.required) continue;
      features[column.index] +=
          step.block >= 0 ? column.at(step.block, way) : column.copied[way];
    }
  };
  MergedBlocks merged;
  int32_t stack = merged.begin();
  std::vector<bool> covered(static_cast<size_t>(n_words));
  const auto is_free = [&](int word) { return !covered[static_cast<size_t>(word)]; };
  for (size_t i = 0; i < steps.size(); ++i) {
    const int begin = steps[i].begin, end = steps[i].end;
    add(steps[i], false, merged.orientation(stack, begin, end));
    stack = merged.push(stack, begin, end);
    if (i > 0) {
      const Step& last = steps[i - 1];
      add(last, true, forward_orientation(last.begin, last.end, begin, end, is_free));
    }
    std::fill(covered.begin() + begin, covered.begin() + end, true);
  }
  if (ends && !steps.empty()) add(steps.back(), true, forward_at_end(steps.back().end, n_words));
}

}  // namespace

void check_steps(const ModelView& model, const SentenceView& sentence,
                 std::span<const Step> steps) {
  for (const Step& step : steps) {
    if (step.begin < 0 || step.begin >= step.end || step.end > sentence.size()) {
      throw Error("the derivation is of a longer sentence");
    }
    const bool known = step.block < 0
                           ? std::ranges::none_of(step.target, [&](int32_t word) {
                               return model.is_outside(word);
                             })
                           : has_block(model.blocks, sentence, step);
    if (!known) throw Error("the derivation is of another model or of another sentence");
  }
}

std::vector<double> extract_features(const ModelView& model, const SentenceView& sentence,
                                     std::span<const Step> steps, bool ends) {
  const DenseSet& dense = model.dense();
  std::vector<double> features(dense.size());
  LmState words = model.lm.begin(), classes;
  if (dense.class_lm) classes = dense.class_lm->lm.begin();
  int last_end = 0;
  const Step* previous = nullptr;
  for (const Step& step : steps) {
    const bool is_copy = step.block < 0 && !step.required;
    const auto orientation = static_cast<size_t>(step.orientation);
    for (const BlockColumn& column : dense.block_columns) {
      if (!counts_in(column.steps, step.orientation)) continue;
      if (step.block >= 0) {
        features[column.index] += column.at(step.block) + column.change(step.change);
      }
      if (is_copy) features[column.index] += column.copied;
    }
    for (const OrientationColumn& column : dense.orientation_columns) {
      const Step* block = column.next ? previous : &step;
      if (block == nullptr || block->required) continue;
      features[column.index] += block->block >= 0 ? column.at(block->block, orientation)
                                                  : column.copied[orientation];
    }
    for (const CountComponent& count : dense.counts) {
      features[count.index] += count.at(step.target.size(), is_copy);
    }
    for (const DistanceComponent& distance : dense.distances) {
      features[distance.index] -= std::abs(step.begin - last_end);
    }
    for (const JumpTable& jump : dense.jumps) {
      features[jump.index] += jump.at(sentence.words, last_end, step.begin);
    }
    const auto target = std::span(step.target);
    const size_t n_first = std::min<size_t>(1, target.size());
    const LmStep first = score_lm(model.lm, words, target.first(n_first), 1, 1);
    const LmStep rest = score_lm(model.lm, first.state, target.subspan(n_first), 1, 1);
    for (const LmComponent& lm : dense.lms) {
      if (!counts_in(lm.steps, step.orientation)) continue;
      features[lm.index] += (lm.first ? first.score : 0) + (lm.rest ? rest.score : 0);
    }
    words = rest.state;
    if (dense.class_lm) {
      const LmStep scored = score_lm(dense.class_lm->lm, classes, step.target, 1, 1);
      features[dense.class_lm->index] += scored.score;
      classes = scored.state;
    }
    last_end = step.end;
    previous = &step;
  }
  if (!dense.merged_columns.empty()) add_merged(dense, steps, sentence.size(), ends, features);
  if (!ends) return features;
  const double end = model.lm.finish(words);
  for (const LmComponent& lm : dense.lms) {
    if (lm.rest && counts_in(lm.steps, kMonotone)) features[lm.index] += end;
  }
  if (dense.class_lm) features[dense.class_lm->index] += dense.class_lm->lm.finish(classes);
  return features;
}

SparseVector extract_sparse(const ModelView& model, const SentenceView& sentence,
                            std::span<const Step> steps, bool ends) {
  const TemplateSet& set = model.sparse();
  if (set.empty()) return {};
  FiredFeatures fired(set, sentence);
  std::vector<int32_t> words;
  std::vector<bool> covered(sentence.words.size());
  MergedBlocks merged;
  int32_t stack = merged.begin();
  StepView last;
  for (const Step& step : steps) {
    StepView view;
    view.begin = step.begin;
    view.end = step.end;
    view.row = step.block;
    view.target = step.target;
    view.values = fired.block(step.begin, step.end, step.target);
    view.orientation = step.orientation;
    view.backward = merged.orientation(stack, step.begin, step.end);
    stack = merged.push(stack, step.begin, step.end);
    view.last_end = last.end;
    view.history = words;
    if (!words.empty()) {
      view.previous = &last.values;
      view.previous_row = last.row;
      last.forward =
          forward_orientation(last.begin, last.end, step.begin, step.end,
                              [&](int word) { return !covered[static_cast<size_t>(word)]; });
      fired.add(Scope::kForward, last);
    }
    for (const Scope scope : {Scope::kPhrase, Scope::kBlock, Scope::kSpan, Scope::kOption,
                              Scope::kOrientation, Scope::kBackward, Scope::kCube, Scope::kStep}) {
      fired.add(scope, view);
    }
    words.insert(words.end(), step.target.begin(), step.target.end());
    std::fill(covered.begin() + step.begin, covered.begin() + step.end, true);
    last = view;
  }
  if (ends && !steps.empty()) {
    last.forward = forward_at_end(last.end, sentence.size());
    fired.add(Scope::kForward, last);
  }

  return fired.counted();
}

}  // namespace calque
