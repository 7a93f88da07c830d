#include "blocks/rules.h"

#include <tuple>

namespace calque {
namespace {

// The gaps of a rule in the order of its target side.
std::array<int, kMaxGaps> by_target(const RuleSpan& rule) {
  const bool is_swapped =
      rule.n_gaps == 2 && rule.gaps[1].target_begin < rule.gaps[0].target_begin;
  return is_swapped ? std::array{1, 0} : std::array{0, 1};
}

}  // namespace

void RuleFinder::sort_phrases(int32_t n_source) {
  std::sort(phrases_.begin(), phrases_.end(), [](const BlockSpan& a, const BlockSpan& b) {
    return std::tie(a.source_begin, a.source_end) < std::tie(b.source_begin, b.source_end);
  });
  starts_.assign(static_cast<size_t>(n_source) + 1, 0);
  for (const BlockSpan& span : phrases_) ++starts_[span.source_begin + 1];
  for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
}

RuleSide source_side(const SentencePair& pair, const RuleSpan& rule) {
  RuleSide side;
  int gap = 0;
  for (int32_t s = rule.whole.source_begin; s < rule.whole.source_end;) {
    if (gap < rule.n_gaps && rule.gaps[gap].source_begin == s) {
      side.push(kFirstGap + gap);
      s = rule.gaps[gap++].source_end;
    } else {
      side.push(pair.source[s++]);
    }
  }
  return side;
}

RuleSide target_side(const SentencePair& pair, const RuleSpan& rule) {
  RuleSide side;
  const auto order = by_target(rule);
  int next = 0;
  for (int32_t t = rule.whole.target_begin; t < rule.whole.target_end;) {
    if (next < rule.n_gaps && rule.gaps[order[next]].target_begin == t) {
      side.push(kFirstGap + order[next]);
      t = rule.gaps[order[next++]].target_end;
    } else {
      side.push(pair.target[t++]);
    }
  }
  return side;
}

uint64_t inner_links(const LinkGrid& grid, const RuleSpan& rule) {
  const auto order = by_target(rule);
  const auto source_position = [&](int32_t s) {
    int32_t position = s - rule.whole.source_begin;
    for (int gap = 0; gap < rule.n_gaps && rule.gaps[gap].source_end <= s; ++gap) {
      position -= rule.gaps[gap].source_end - rule.gaps[gap].source_begin - 1;
    }
    return position;
  };
  uint64_t links = 0;
  int next = 0, position = 0;
  for (int32_t t = rule.whole.target_begin; t < rule.whole.target_end; ++position) {
    if (next < rule.n_gaps && rule.gaps[order[next]].target_begin == t) {
      t = rule.gaps[order[next++]].target_end;
      continue;
    }
    for (const int32_t s : grid.sources_of(t)) {
      links |= uint64_t{1} << (kMaxWords * position + source_position(s));
    }
    ++t;
  }
  return links;
}

}  // namespace calque
