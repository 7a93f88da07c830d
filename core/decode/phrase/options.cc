#include "decode/phrase/options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

namespace calque {
namespace {

// The estimate of the best option, normalised over all of them.
float best_among(std::span<const Option> options) {
  double sum = 0;
  const auto best = static_cast<double>(options.front().estimate());
  for (const Option& option : options) sum += std::exp(static_cast<double>(option.estimate()) - best);
  return static_cast<float>(-std::log(sum));
}

}  // namespace

void OptionTable::begin(const SentenceView& sentence, int max_words) {
  sentence_ = sentence;
  n_ = sentence.size();
  max_words_ = max_words;
  options_.clear();
  ranges_.assign(static_cast<size_t>(n_ * max_words_), {0, 0});
}

StepView OptionTable::view(const Option& option) {
  StepView step;
  step.begin = option.begin;
  step.end = option.end;
  step.row = option.block;
  step.target = option.target;
  return step;
}

void OptionTable::keep(std::span<const uint8_t> wanted) {
  size_t n_kept = 0;
  for (auto& [first, last] : ranges_) {  // in the order of the options
    const size_t from = n_kept;
    for (size_t at = first; at < last; ++at) {
      if (wanted[at]) options_[n_kept++] = options_[at];
    }
    first = from;
    last = n_kept;
  }
  options_.resize(n_kept);
}

void OptionTable::estimate_future(bool normalises) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  const auto best = [&](int begin, int end) {
    const auto options = span(begin, end);
    if (options.empty()) return kNever;
    if (normalises) return best_among(options);
    return std::ranges::max(options | std::views::transform(&Option::estimate_in_order));
  };
  future_to_end_.assign(static_cast<size_t>(n_ + 1), kNever);
  future_to_end_.back() = 0;
  future_.assign(static_cast<size_t>((n_ + 1) * Coverage::kWindow), kNever);
  // Right to left: the first option of a gap, then the rest of it.
  for (int begin = n_; begin >= 0; --begin) {
    float* const row = future_.data() + begin * Coverage::kWindow;
    row[0] = 0;
    for (int mid = begin + 1; mid <= std::min(n_, begin + max_words_); ++mid) {
      const float first = best(begin, mid);
      if (first == kNever) continue;
      float& to_end = future_to_end_[static_cast<size_t>(begin)];
      to_end = std::max(to_end, first + future_to_end_[static_cast<size_t>(mid)]);
      const float* const rest = future_.data() + mid * Coverage::kWindow;
      for (int length = mid - begin; length < std::min(Coverage::kWindow, n_ - begin + 1); ++length) {
        row[length] = std::max(row[length], first + rest[length - (mid - begin)]);
      }
    }
  }
}

float OptionTable::future(const Coverage& coverage) const {
  float sum = 0;
  int gap = coverage.first;  // where the gap begins
  uint64_t bits = coverage.later;
  for (int next = gap + 1; bits != 0;) {  // bit 0 of `bits` is word `next`
    const int free = std::countr_zero(bits);
    sum += future(gap, next + free);
    bits >>= free;
    const int run = std::countr_one(bits);
    bits = run < 64 ? bits >> run : 0;
    gap = next += free + run;
  }
  return gap < n_ ? sum + future(gap, n_) : sum;
}

}  // namespace calque
