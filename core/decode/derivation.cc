#include "decode/derivation.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>

#include "decode/kbest.h"
#include "decode/merged.h"
#include "decode/sparse_features.h"
#include "error.h"

namespace calque {
namespace {

std::vector<Step> build_steps(const SearchGraph& graph, const OptionTable& table,
                              std::span<const GraphStep> path) {
  std::vector<Step> steps;
  int last_begin = 0, last_end = 0;
  for (const auto [previous, id] : path) {
    const Option& option = table[id];
    const int way = step_orientation(graph.start, last_begin, last_end, option.begin, option.end);
    const int32_t first = table.id(table.span(option.begin, option.end).front());
    steps.push_back({option.begin, option.end, option.block, option.required, option.change, way,
                     graph.log_sum(previous, first), {option.target.begin(), option.target.end()}});
    last_begin = option.begin;
    last_end = option.end;
  }
  return steps;
}

// The row of a block of the model, or -1 for a word that no block covers alone and that is copied.
int64_t find_block(const ModelView& model, const SentenceView& sentence, const SpanTarget& wanted) {
  const auto begin = static_cast<size_t>(wanted.begin);
  const auto words = sentence.words.subspan(begin, static_cast<size_t>(wanted.end) - begin);
  const int64_t phrase = model.blocks.find(words);
  if (phrase < 0 && words.size() == 1 &&
      std::ranges::equal(wanted.target, sentence.copies.subspan(begin, 1))) {
    return -1;
  }
  const auto [first, last] = phrase < 0 ? BlockRange{0, 0} : model.blocks.blocks(phrase);
  for (int64_t block = first; block < last; ++block) {
    if (std::ranges::equal(wanted.target, model.blocks.target(block))) return block;
  }
  throw Error("source words " + std::to_string(wanted.begin) + " to " +
              std::to_string(wanted.end - 1) + ": the model has no block with this target");
}

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

void cover_once(std::vector<bool>& covered, const SpanTarget& block) {
  const bool inside = 0 <= block.begin && block.begin < block.end &&
                      static_cast<size_t>(block.end) <= covered.size();
  if (!inside) throw Error("a block lies outside the sentence");
  const auto first = covered.begin() + block.begin, last = covered.begin() + block.end;
  if (std::find(first, last, true) != last) throw Error("two blocks cover the same source word");
  std::fill(first, last, true);
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

std::vector<Derivation> best_derivations(const SearchGraph& graph, const OptionTable& table,
                                         const ModelView& model, int n, bool distinct) {
  std::vector<Derivation> found;
  KBest kbest(graph, table, distinct);
  std::vector<GraphStep> path;
  double score = 0;
  while (found.size() < static_cast<size_t>(n) && kbest.next(path, score)) {
    Derivation derivation;
    derivation.score = score;
    derivation.steps = build_steps(graph, table, path);
    derivation.features = extract_features(model, table.sentence(), derivation.steps);
    found.push_back(std::move(derivation));
  }
  return found;
}

Derivation derivation_to(const SearchGraph& graph, const OptionTable& table, const ModelView& model,
                         int32_t hypothesis, bool ends) {
  std::vector<GraphStep> path;
  for (int32_t id = hypothesis; graph[id].previous >= 0; id = graph[id].previous) {
    path.push_back({graph[id].previous, graph[id].option});
  }
  std::reverse(path.begin(), path.end());
  Derivation derivation;
  derivation.score = graph[hypothesis].score;
  derivation.steps = build_steps(graph, table, path);
  derivation.features = extract_features(model, table.sentence(), derivation.steps, ends);
  return derivation;
}

Derivation derive(const ModelView& model, const WeightView& weights, const SentenceView& sentence,
                  std::span<const SpanTarget> blocks, Start start) {
  Derivation derivation;
  std::vector<bool> covered(sentence.words.size());
  int last_begin = 0, last_end = 0;
  for (const SpanTarget& wanted : blocks) {
    cover_once(covered, wanted);
    const int way = step_orientation(start, last_begin, last_end, wanted.begin, wanted.end);
    derivation.steps.push_back({wanted.begin, wanted.end, find_block(model, sentence, wanted), false,
                                {}, way, 0, wanted.target});
    last_begin = wanted.begin;
    last_end = wanted.end;
  }
  if (std::ranges::find(covered, false) != covered.end()) {
    throw Error("the blocks leave a source word untranslated");
  }
  derivation.features = extract_features(model, sentence, derivation.steps);
  derivation.score = std::inner_product(weights.dense.begin(), weights.dense.end(),
                                        derivation.features.begin(), 0.0);
  if (weights.sparse != nullptr) {
    const SparseVector fired = extract_sparse(model, sentence, derivation.steps);
    const SparseTable& table = weights.sparse->weights();
    for (size_t i = 0; i < fired.keys.size(); ++i) {
      derivation.score += static_cast<double>(table.get(fired.keys[i]) * fired.counts[i]);
    }
  }
  return derivation;
}

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

}  // namespace calque
