#include "decode/chart/rules.h"

#include <algorithm>

namespace calque {
namespace {

constexpr size_t kMostKnown = 1 << 17;  // rules, or runs, remembered from sentence to sentence

// Sorts the rules from `from` on, the best first, and drops those beyond the limit.
template <typename Kind, typename Better>
void keep_best(std::vector<Kind>& rules, size_t from, int limit, const Better& better) {
  const auto first = rules.begin() + static_cast<std::ptrdiff_t>(from);
  if (limit > 0 && rules.size() - from > static_cast<size_t>(limit)) {
    std::partial_sort(first, first + limit, rules.end(), better);
    rules.resize(from + static_cast<size_t>(limit));
  } else {
    std::sort(first, rules.end(), better);
  }
}
void keep_best(std::vector<Rule>& rules, size_t from, int limit) {
  keep_best(rules, from, limit, [](const Rule& a, const Rule& b) { return a.scores_better(b); });
}

}  // namespace

RuleBook::RuleBook(const ModelView& model, const WeightView& weights, const TargetLimits& limits,
                   const LeaveOneOut* leave_one_out)
    : model_(model),
      weights_(weights.dense),
      limits_(limits),
      block_limit_(limits.per_source),
      runs_(model, weights) {
  if (leave_one_out != nullptr) left_out_.emplace(*leave_one_out);
  for (const BlockColumn& column : model.dense().block_columns) {
    if (column.frequency == BlockColumn::Frequency::kNone) continue;
    const bool of_target = column.frequency == BlockColumn::Frequency::kTargetGivenSource;
    frequency_weights_[of_target] += static_cast<float>(weights.dense[column.index]);
  }
  if (weights.sparse == nullptr) return;
  sparse_.emplace(model.sparse(), weights.sparse);
  const bool tells_apart = sparse_->has_of_options() || sparse_->has_of_gaps();
  scores_places_ = sparse_->has_of_span() || tells_apart;
  // Those that score best show in the sentence only.
  if (tells_apart && block_limit_ > 0) {
    block_limit_ = limits.in_sentence > 0 ? std::max(limits.in_sentence, block_limit_) : 0;
  }
}

void RuleBook::begin(const SentenceView& sentence) {
  sentence_ = sentence;
  own_rules_.clear();
  own_runs_.clear();
  placed_.clear();
  left_.clear();
  if (left_out_) left_out_->begin(sentence.pair);
  if (sparse_) sparse_->begin(sentence);
  if (wanted_ || std::max(rules_.size(), runs_.size()) > kMostKnown) forget_rules();
  wanted_.reset();
}

void RuleBook::begin(const SentenceView& sentence, std::span<const int32_t> reference) {
  begin(sentence);
  forget_rules();
  wanted_.emplace(reference);
}

void RuleBook::forget_rules() {
  known_.clear();
  rules_.clear();
  runs_.clear();
}

std::pair<int32_t, int32_t> RuleBook::rules(const Match& match, int begin, int end) {
  const Range range = known(match, begin, end);
  return scores_places_ ? at_place(range) : range;
}

bool RuleBook::is_left(int32_t phrase, int position) {
  if (!left_out_ || !left_out_->is_active()) return true;
  if (wanted_) return !left_out_->forgets(phrase);
  const auto [first, last] = known({phrase, 0, {}}, position, position + 1);
  return first < last;
}

// Those that features of the place do not choose from yet.
RuleBook::Range RuleBook::known(const Match& match, int begin, int end) {
  const auto key = static_cast<uint64_t>(match.phrase);
  const Range* known = known_.find(key);
  if (sparse_ && (known == nullptr || scores_places_)) {
    sparse_->place(begin, end, std::span(match.gaps).first(static_cast<size_t>(match.n_gaps)));
  }
  Range range;
  if (known != nullptr) {
    range = *known;
  } else {
    range = learn(match.phrase);
    known_.insert(key, range);
  }
  if (!left_out_) return range;
  if (left_out_->is_active()) return without_pair(match.phrase, range);
  if (block_limit_ > 0) range.second = std::min(range.second, range.first + block_limit_);
  return range;
}

// Copies of rules, all of a source side, as they are without the pair.
RuleBook::Range RuleBook::without_pair(int32_t phrase, const Range& known) {
  const auto key = static_cast<uint64_t>(phrase);
  if (const Range* const left = left_.find(key)) return *left;
  const size_t first = own_rules_.size();
  const FrequencyChange common = left_out_->common_change(phrase);
  for (int32_t id = known.first; id < known.second; ++id) {
    Rule rule = rules_[static_cast<size_t>(id)];
    if (left_out_->is_own(phrase, rule.block)) {
      const auto change = left_out_->change(phrase, rule.block);
      if (!change) continue;
      rule.change = *change;
    } else {
      rule.change = common;
    }
    const float more =
        frequency_weights_[0] * rule.change[0] + frequency_weights_[1] * rule.change[1];
    rule.score += more;
    rule.estimate += more;
    own_rules_.push_back(rule);
  }
  keep_best(own_rules_, first, block_limit_);
  const Range left{kOwn + static_cast<int32_t>(first), kOwn + static_cast<int32_t>(own_rules_.size())};
  left_.insert(key, left);
  return left;
}

// Rules with the features of their place.
RuleBook::Range RuleBook::at_place(const Range& known) {
  const size_t first = placed_.size();
  if (known.first < known.second) {
    const std::span<const Rule> rules(&(*this)[known.first],
                                      static_cast<size_t>(known.second - known.first));
    const float of_span = sparse_->of_span();
    const auto of_options = sparse_->of_options(known.first, rules);
    const auto of_gaps = sparse_->of_gaps(rules);
    for (size_t i = 0; i < rules.size(); ++i) {
      const float of_place = of_span + of_options[i] + of_gaps[i];
      placed_.push_back({known.first + static_cast<int32_t>(i), rules[i].score + of_place,
                         rules[i].estimate + of_place});
    }
    keep_best(placed_, first, limits_.per_source, [this](const PlacedRule& a, const PlacedRule& b) {
      return a.estimate != b.estimate ? a.estimate > b.estimate
                                      : (*this)[a.rule].block < (*this)[b.rule].block;
    });
  }
  return {kPlaced + static_cast<int32_t>(first), kPlaced + static_cast<int32_t>(placed_.size())};
}

// The sparse features of a rule that only this sentence has.
void RuleBook::score_own(Rule& rule, int begin, int end) {
  if (!sparse_) return;
  sparse_->place(begin, end, {});
  sparse_->add_everywhere({&rule, 1});
  sparse_->add_here({&rule, 1});
}

RuleBook::Range RuleBook::learn(int32_t phrase) {
  auto [first, last] = model_.blocks.blocks(phrase);
  if (limits_.max_targets > 0) last = std::min(last, first + limits_.max_targets);
  learned_.clear();
  for (int64_t block = first; block < last; ++block) {
    if (wanted_ && !wanted_->may_have(model_.blocks.target(block))) continue;
    Rule rule = start(block, model_.blocks.target(block));
    for (const BlockColumn& column : model_.dense().block_columns) {
      rule.score += static_cast<float>(weights_[column.index] * static_cast<double>(column.at(block)));
    }
    add_words(rule, false);
    learned_.push_back(rule);
  }
  if (sparse_) sparse_->add_everywhere(learned_);
  // Of a pair that is left out any number of the best may fall: all are remembered then.
  keep_best(learned_, 0, left_out_ ? 0 : block_limit_);
  const auto n_known = static_cast<int32_t>(rules_.size());
  rules_.insert(rules_.end(), learned_.begin(), learned_.end());
  return {n_known, static_cast<int32_t>(rules_.size())};
}

int32_t RuleBook::copy(int position) {
  Rule rule = start(-1, sentence_.copies.subspan(static_cast<size_t>(position), 1));
  for (const BlockColumn& column : model_.dense().block_columns) {
    rule.score += static_cast<float>(weights_[column.index] * static_cast<double>(column.copied));
  }
  add_words(rule, true);
  score_own(rule, position, position + 1);
  return add_own(rule);
}

int32_t RuleBook::required(const Constraint& constraint) {
  Rule rule = start(-1, constraint.target);
  rule.required = true;
  add_words(rule, false);
  score_own(rule, constraint.begin, constraint.end);
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
    const auto words = rule.target.subspan(begin, at - begin);
    int32_t& run = rule.pieces[rule.n_pieces++];
    if (rule.block >= 0) {
      run = runs_.number(words, lm);
    } else {
      run = static_cast<int32_t>(own_runs_.size());
      own_runs_.push_back(runs_.make(words, lm));
    }
    n_words += words.size();
  }
  for (const CountComponent& count : model_.dense().counts) {
    rule.score += static_cast<float>(weights_[count.index] * count.of_rule(n_words, is_copy));
  }
  rule.estimate = rule.score + lm;
}

int32_t RuleBook::add_own(const Rule& rule) {
  own_rules_.push_back(rule);
  return kOwn + static_cast<int32_t>(own_rules_.size()) - 1;
}

}  // namespace calque
