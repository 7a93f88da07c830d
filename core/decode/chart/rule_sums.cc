#include "decode/chart/rule_sums.h"

namespace calque {

void RuleSums::begin(const SentenceView& sentence) {
  values_.begin(sentence);
  scorer_.begin_sentence();
  remembered_.clear();
  of_options_.clear();
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

}  // namespace calque
