#include "decode/chart/rule_sums.h"

namespace calque {
namespace {

// Of gaps that no template tells apart: rows of target words lie in the set of templates.
uint64_t key_of_gap(const GapView& gap) {
  uint64_t key = mix(static_cast<uint64_t>(gap.begin) << 32 | static_cast<uint64_t>(gap.end) << 8 |
                     static_cast<uint64_t>(gap.of_source) << 4 |
                     static_cast<uint64_t>(gap.of_target));
  for (const uint64_t* const row : {gap.before, gap.after}) {
    key = extend_key(key, reinterpret_cast<uintptr_t>(row));
  }
  return key;
}

}  // namespace

void RuleSums::begin(const SentenceView& sentence) {
  values_.begin(sentence);
  scorer_.begin_sentence();
  remembered_.clear();
  of_options_.clear();
  gap_numbers_.clear();
  gap_sums_.clear();
}

void RuleSums::add(std::span<Rule> rules, Scope of_source, Scope of_both) {
  if (!values_.has_source() || rules.empty()) return;
  scorer_.begin();
  const StepView any = values_.view(rules[0].block, rules[0].target);
  scorer_.ask(of_source, values_.sentence(), {&any, 1});
  ask_of_both(rules, of_both);
  const auto sums = scorer_.answer();
  const auto add = [&](size_t rule, float sum) {
    rules[rule].score += sum;
    rules[rule].estimate += sum;
  };
  for (size_t i = 0; i < rules.size(); ++i) add(i, sums[0]);
  for (size_t i = 0; i < viewed_.size(); ++i) add(viewed_[i], sums[i + 1]);
}

void RuleSums::ask_of_both(std::span<const Rule> rules, Scope scope) {
  views_.clear();
  viewed_.clear();
  for (size_t i = 0; i < rules.size(); ++i) {
    const StepView view = values_.view(rules[i].block, rules[i].target);
    if (!values_.has_both(view)) continue;
    views_.push_back(view);
    viewed_.push_back(i);
  }
  if (!views_.empty()) scorer_.ask(scope, values_.sentence(), views_);
}

float RuleSums::of_span() {
  if (!values_.has_source() || !has_of_span()) return 0;
  const StepView any = values_.view(0, {});
  return scorer_.sum(Scope::kSpan, values_.sentence(), any);
}

std::span<const float> RuleSums::of_options(int32_t first, std::span<const Rule> rules) {
  const auto key = static_cast<uint64_t>(first);
  if (const size_t* const known = remembered_.find(key)) {
    return std::span(of_options_).subspan(*known, rules.size());
  }
  if (scorer_.is_of_place(Scope::kOption)) of_options_.clear();
  const size_t begin = of_options_.size();
  of_options_.resize(begin + rules.size());
  const auto sums = std::span(of_options_).subspan(begin);
  if (values_.has_source() && has_of_options()) {
    scorer_.begin();
    ask_of_both(rules, Scope::kOption);
    const auto found = scorer_.answer();
    for (size_t i = 0; i < viewed_.size(); ++i) sums[viewed_[i]] = found[i];
  }
  if (!scorer_.is_of_place(Scope::kOption)) remembered_.insert(key, begin);
  return sums;
}

// Many rules have the same words beside the same gap: what is seen of it is asked for once in a
// sentence.
std::span<const float> RuleSums::of_gaps(std::span<const Rule> rules) {
  of_gaps_.assign(rules.size(), 0);
  const size_t n_gaps = values_.n_gaps();
  if (n_gaps == 0 || !has_of_gaps()) return of_gaps_;
  new_gaps_.clear();
  numbers_.clear();
  for (const Rule& rule : rules) {
    for (size_t gap = 0; gap < n_gaps; ++gap) {
      const GapView view = values_.gap(gap, rule.target);
      const auto next = static_cast<uint32_t>(gap_sums_.size() + new_gaps_.size());
      const uint64_t key = key_of_gap(view);
      const uint32_t* const known = gap_numbers_.find(key);
      numbers_.push_back(known == nullptr ? next : *known);
      if (known != nullptr) continue;
      gap_numbers_.insert(key, next);
      new_gaps_.push_back(view);
    }
  }
  if (!new_gaps_.empty()) {
    views_.assign(new_gaps_.size(), StepView{.row = 0});
    for (size_t i = 0; i < views_.size(); ++i) views_[i].gaps = {&new_gaps_[i], 1};
    scorer_.begin();
    scorer_.ask(Scope::kGaps, values_.sentence(), views_);
    const auto sums = scorer_.answer();
    gap_sums_.insert(gap_sums_.end(), sums.begin(), sums.end());
  }
  for (size_t i = 0; i < numbers_.size(); ++i) of_gaps_[i / n_gaps] += gap_sums_[numbers_[i]];
  return of_gaps_;
}

}  // namespace calque
