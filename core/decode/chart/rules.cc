#include "decode/chart/rules.h"

#include <algorithm>

namespace calque {
namespace {

constexpr size_t kMostKnown = 1 << 17;  // rules remembered from sentence to sentence

// The log probability of a word behind the words of a fragment, which it joins.
float append(const TargetLm& lm, int32_t word, LmFragment& fragment) {
  LmFragment next;
  const float log_prob = lm_word(lm.lm, lm.word(word), next);
  return log_prob + lm_join(lm.lm, fragment, next.left, next.right);
}

}  // namespace

ChartLmWeights chart_lm_weights(const ModelView& model, const WeightView& weights) {
  const auto& classes = model.dense().class_lm;
  return {static_cast<float>(model.dense().lm_weights(weights.dense, kMonotone).rest),
          classes ? static_cast<float>(weights.dense[classes->index]) : 0};
}

RuleBook::RuleBook(const ModelView& model, const WeightView& weights, const TargetLimits& limits)
    : model_(model),
      weights_(weights.dense),
      lm_weights_(chart_lm_weights(model, weights)),
      limits_(limits) {}

void RuleBook::begin(const SentenceView& sentence) {
  sentence_ = sentence;
  own_rules_.clear();
  own_runs_.clear();
  if (rules_.size() <= kMostKnown) return;
  known_.clear();
  rules_.clear();
  runs_.clear();
}

std::pair<int32_t, int32_t> RuleBook::rules(int32_t phrase) {
  const auto [known, is_new] = known_.try_emplace(phrase);
  if (is_new) learn(phrase, known->second);
  return known->second;
}

void RuleBook::learn(int32_t phrase, std::pair<int32_t, int32_t>& known) {
  auto [first, last] = model_.blocks.blocks(phrase);
  if (limits_.max_targets > 0) last = std::min(last, first + limits_.max_targets);
  learned_.clear();
  const size_t n_runs = runs_.size();
  for (int64_t block = first; block < last; ++block) {
    Rule rule = start(block, model_.blocks.target(block));
    for (const BlockColumn& column : model_.dense().block_columns) {
      rule.score += static_cast<float>(weights_[column.index] * static_cast<double>(column.at(block)));
    }
    add_words(rule, false);
    learned_.push_back(rule);
  }
  const auto better = [](const Rule& a, const Rule& b) { return a.scores_better(b); };
  const auto limit = static_cast<size_t>(limits_.per_source);
  if (limit > 0 && learned_.size() > limit) {
    std::partial_sort(learned_.begin(), learned_.begin() + limits_.per_source, learned_.end(), better);
    learned_.resize(limit);
  } else {
    std::ranges::sort(learned_, better);
  }
  // Runs of rules that were not kept go.
  kept_runs_.clear();
  for (Rule& rule : learned_) {
    for (size_t i = 0; i < rule.n_pieces; ++i) {
      if (rule.pieces[i] < 0) continue;
      kept_runs_.push_back(runs_[static_cast<size_t>(rule.pieces[i])]);
      rule.pieces[i] = static_cast<int32_t>(n_runs + kept_runs_.size() - 1);
    }
  }
  runs_.resize(n_runs);
  runs_.insert(runs_.end(), kept_runs_.begin(), kept_runs_.end());
  known.first = static_cast<int32_t>(rules_.size());
  rules_.insert(rules_.end(), learned_.begin(), learned_.end());
  known.second = static_cast<int32_t>(rules_.size());
}

int32_t RuleBook::copy(int position) {
  Rule rule = start(-1, sentence_.copies.subspan(static_cast<size_t>(position), 1));
  for (const BlockColumn& column : model_.dense().block_columns) {
    rule.score += static_cast<float>(weights_[column.index] * static_cast<double>(column.copied));
  }
  add_words(rule, true);
  return add_own(rule);
}

int32_t RuleBook::required(const Constraint& constraint) {
  Rule rule = start(-1, constraint.target);
  rule.required = true;
  add_words(rule, false);
  return add_own(rule);
}

Rule RuleBook::start(int64_t block, std::span<const int32_t> target) const {
  Rule rule{};
  rule.block = block;
  rule.target = target;
  return rule;
}

// What the target words decide, whatever the block.
void RuleBook::add_words(Rule& rule, bool is_copy) {
  size_t n_words = 0;
  float lm = 0;
  for (size_t at = 0; at < rule.target.size();) {
    if (rule.block >= 0 && is_gap(rule.target[at])) {
      rule.pieces[rule.n_pieces++] = kFirstGap - 1 - rule.target[at++];
      continue;
    }
    const size_t begin = at;
    while (at < rule.target.size() && !(rule.block >= 0 && is_gap(rule.target[at]))) ++at;
    auto& runs = rule.block >= 0 ? runs_ : own_runs_;
    rule.pieces[rule.n_pieces++] = static_cast<int32_t>(runs.size());
    runs.push_back(make_run(rule.target.subspan(begin, at - begin), lm));
    n_words += at - begin;
  }
  for (const CountComponent& count : model_.dense().counts) {
    rule.score += static_cast<float>(weights_[count.index] * count.of_rule(n_words, is_copy));
  }
  rule.estimate = rule.score + lm;
}

RuleRun RuleBook::make_run(std::span<const int32_t> words, float& estimate) const {
  RuleRun run;
  const auto& classes = model_.dense().class_lm;
  for (const int32_t word : words) {
    estimate += lm_weights_.words * append(model_.lm, word, run.words);
    if (classes) estimate += lm_weights_.classes * append(classes->lm, word, run.classes);
  }
  return run;
}

int32_t RuleBook::add_own(const Rule& rule) {
  own_rules_.push_back(rule);
  return -static_cast<int32_t>(own_rules_.size());
}

}  // namespace calque
