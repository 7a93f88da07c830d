#include "decode/chart/derivations.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "decode/chart/kbest.h"
#include "error.h"

namespace calque {
namespace {

constexpr int kNoOrientation = -1;

// The source side of a step: the words of its span, and gaps where others fill them.
std::vector<int32_t> source_side(const SentenceView& sentence, std::span<const Step> steps,
                                 const Step& step) {
  std::vector<int32_t> side;
  size_t gap = 0;
  for (int at = step.begin; at < step.end;) {
    const int32_t filler = gap < step.gaps.size() ? step.gaps[gap] : -1;
    if (filler >= 0 && steps[static_cast<size_t>(filler)].begin == at) {
      side.push_back(kFirstGap + static_cast<int32_t>(gap++));
      at = steps[static_cast<size_t>(filler)].end;
    } else {
      side.push_back(sentence.words[static_cast<size_t>(at++)]);
    }
  }
  return side;
}

bool has_rule(const ModelView& model, const SentenceView& sentence, std::span<const Step> steps,
              const Step& step) {
  const int64_t phrase = model.blocks.find(source_side(sentence, steps, step));
  if (phrase < 0) return false;
  const auto [first, last] = model.blocks.blocks(phrase);
  return step.block >= first && step.block < last &&
         std::ranges::equal(step.target, model.blocks.target(step.block));
}

std::vector<Step> steps_of(const RuleBook& rules, std::span<const AppliedRule> applied) {
  std::vector<Step> steps;
  for (const auto& [id, begin, end, gaps] : applied) {
    const Rule& rule = rules[id];
    steps.push_back({begin, end, rule.block, rule.required, rule.change, kNoOrientation, 0,
                     {rule.target.begin(), rule.target.end()}, gaps});
  }
  return steps;
}

}  // namespace

std::vector<Derivation> best_chart_derivations(const Hypergraph& graph, const RuleBook& rules,
                                               const ModelView& model, int n, bool distinct,
                                               const SentenceEdges& edges) {
  std::vector<Derivation> found;
  ChartKBest kbest(graph, rules, distinct);
  std::vector<AppliedRule> applied;
  double score = 0;
  while (found.size() < static_cast<size_t>(n) && kbest.next(applied, score)) {
    Derivation derivation;
    derivation.score = score;
    derivation.steps = steps_of(rules, applied);
    derivation.features = extract_chart_features(model, derivation.steps, edges);
    found.push_back(std::move(derivation));
  }
  return found;
}

std::vector<Step> best_chart_steps(const Hypergraph& graph, const RuleBook& rules, int32_t vertex) {
  std::vector<AppliedRule> applied;
  ChartKBest(graph, rules, false).best(vertex, applied);
  return steps_of(rules, applied);
}

Derivation empty_chart_derivation(const ModelView& model, const WeightView& weights) {
  Derivation derivation;
  derivation.features = extract_chart_features(model, {});
  derivation.score = std::inner_product(weights.dense.begin(), weights.dense.end(),
                                        derivation.features.begin(), 0.0);
  return derivation;
}

void check_chart_steps(const ModelView& model, const SentenceView& sentence,
                       std::span<const Step> steps) {
  std::vector<int> n_uses(steps.size());
  for (size_t at = 0; at < steps.size(); ++at) {
    const Step& step = steps[at];
    if (step.begin < 0 || step.begin >= step.end || step.end > sentence.size()) {
      throw Error("the derivation is of a longer sentence");
    }
    int end = step.begin;
    bool nests = true;
    for (const int32_t filler : step.gaps) {
      if (filler < 0) continue;
      nests &= static_cast<size_t>(filler) > at && static_cast<size_t>(filler) < steps.size();
      if (!nests) break;
      const Step& below = steps[static_cast<size_t>(filler)];
      nests &= below.begin >= end && below.begin < below.end && below.end <= step.end &&
               ++n_uses[static_cast<size_t>(filler)] == 1;
      end = below.end;
    }
    const bool known = nests && (step.block < 0
                                     ? std::ranges::none_of(step.target, [&](int32_t word) {
                                         return model.is_outside(word);
                                       })
                                     : has_rule(model, sentence, steps, step));
    if (!known) throw Error("the derivation is of another model or of another sentence");
  }
}

std::vector<std::vector<double>> chart_step_features(const ModelView& model,
                                                     std::span<const Step> steps,
                                                     const SentenceEdges& edges) {
  const DenseSet& dense = model.dense();
  std::vector<std::vector<double>> rows(steps.size(), std::vector<double>(dense.size()));
  for (size_t at = 0; at < steps.size(); ++at) {
    const Step& step = steps[at];
    const bool is_copy = step.block < 0 && !step.required;
    for (const BlockColumn& column : dense.block_columns) {
      if (step.block >= 0) {
        rows[at][column.index] += static_cast<double>(column.at(step.block) + column.change(step.change));
      }
      if (is_copy) rows[at][column.index] += static_cast<double>(column.copied);
    }
    size_t n_words = 0;
    for (size_t place = 0; place < step.target.size(); ++place) n_words += !step.is_gap(place);
    for (const CountComponent& count : dense.counts) {
      rows[at][count.index] += count.of_rule(n_words, is_copy);
    }
  }
  const std::vector<int32_t> top = top_steps(steps);
  for (const int32_t id : edges.begins ? top : std::vector<int32_t>()) {
    for (const CountComponent& count : dense.counts) {
      rows[static_cast<size_t>(id)][count.index] += count.of_glue();
    }
  }
  if (top.empty()) return rows;
  const std::vector<YieldWord> words = yield_of(steps);
  const auto score = [&](const TargetLm& lm, const auto& add) {
    LmState state = edges.begins ? lm.begin() : lm.lm.empty();
    for (const YieldWord& word : words) {
      LmState after;
      add(static_cast<size_t>(word.step), lm.score(state, word.word, after));
      state = after;
    }
    if (edges.ends) add(static_cast<size_t>(top.back()), lm.finish(state));
  };
  score(model.lm, [&](size_t step, double log_prob) {
    for (const LmComponent& lm : dense.lms) rows[step][lm.index] += log_prob;
  });
  if (dense.class_lm) {
    score(dense.class_lm->lm, [&](size_t step, double log_prob) {
      rows[step][dense.class_lm->index] += log_prob;
    });
  }
  return rows;
}

std::vector<double> extract_chart_features(const ModelView& model, std::span<const Step> steps,
                                           const SentenceEdges& edges) {
  const DenseSet& dense = model.dense();
  std::vector<double> sum(dense.size());
  for (const auto& row : chart_step_features(model, steps, edges)) {
    for (size_t i = 0; i < row.size(); ++i) sum[i] += row[i];
  }
  if (!steps.empty() || !edges.ends) return sum;
  for (const LmComponent& lm : dense.lms) sum[lm.index] += model.lm.finish(model.lm.begin());
  if (const auto& classes = dense.class_lm) {
    sum[classes->index] += classes->lm.finish(classes->lm.begin());
  }
  return sum;
}

SparseVector extract_chart_sparse(const ModelView& model, const SentenceView& sentence,
                                  std::span<const Step> steps) {
  if (model.sparse().empty()) return {};
  FiredFeatures fired(model.sparse(), sentence);
  RuleValues values(model.sparse());
  values.begin(sentence);
  std::vector<std::array<int32_t, 2>> gaps;
  for (const Step& step : steps) {
    gaps.clear();
    for (const int32_t filler : step.gaps) {
      if (filler < 0) continue;
      const Step& below = steps[static_cast<size_t>(filler)];
      gaps.push_back({below.begin, below.end});
    }
    values.place(step.begin, step.end, gaps);
    const StepView view = values.view(step.block, step.target);
    for (const auto& [scope, fires] : {std::pair(Scope::kPhrase, values.has_source()),
                                       std::pair(Scope::kSpan, values.has_source()),
                                       std::pair(Scope::kBlock, values.has_both(view)),
                                       std::pair(Scope::kOption, values.has_both(view)),
                                       std::pair(Scope::kGaps, !view.gaps.empty())}) {
      if (fires) fired.add(scope, view, values.sentence());
    }
  }
  return fired.counted();
}

}  // namespace calque
