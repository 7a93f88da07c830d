// The rules of one sentence pair: phrase pairs with up to two smaller ones cut out of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "blocks/consistent.h"
#include "blocks/gaps.h"
#include "blocks/record.h"

namespace calque {

// What counts as a rule (Chiang 2007, section 3.2). Blocks without gaps are limited by max_words
// alone, as in a table of blocks.
struct RuleLimits {
  int max_words;           // on either side of a block without gaps
  int max_gaps;            // at most kMaxGaps
  int max_span;            // words that a rule covers, its gaps included, on either side
  int max_symbols;         // words and gaps on the source side; at most kMaxWords
  int max_target_symbols;  // and on the target side
  int min_gap;             // source words under a gap
  bool adjacent_gaps;      // whether the source side may have two gaps side by side
  bool gap_needs_words;    // whether a rule needs a link between two words of its own
  bool tight;  // whether rules and gaps begin and end with linked words, on both sides
};

// Where a rule occurs: the words that it covers and those that its gaps cover, in source order.
struct RuleSpan {
  BlockSpan whole;
  std::array<BlockSpan, kMaxGaps> gaps;
  int n_gaps;
};

// One side of a rule as symbols: words and gaps.
struct RuleSide {
  std::array<int32_t, kMaxWords> symbols;
  int size = 0;
  void push(int32_t symbol) { symbols[static_cast<size_t>(size++)] = symbol; }
  std::span<const int32_t> view() const { return std::span(symbols).first(size); }
};

RuleSide source_side(const SentencePair& pair, const RuleSpan& rule);
RuleSide target_side(const SentencePair& pair, const RuleSpan& rule);
// The links between the words of the rule, as in a Record: positions count its symbols.
uint64_t inner_links(const LinkGrid& grid, const RuleSpan& rule);

// Finds rules; reused from pair to pair.
class RuleFinder {
 public:
  explicit RuleFinder(const RuleLimits& limits) : limits_(limits) {}

  // Calls visit(RuleSpan) once for every place of a rule: for every block without gaps, and for
  // every choice of a consistent phrase pair and of one or two others inside it that do not overlap
  // on either side. There is always a source word that no gap covers.
  // Oracle: tests/test_blocks_rules.py (enumeration by definition).
  template <typename Visit>
  void for_each(const LinkGrid& grid, Visit visit) {
    find_phrases(grid, [&](const BlockSpan& block) { visit(RuleSpan{block, {}, 0}); });
    if (limits_.max_gaps == 0) return;
    for (const BlockSpan& whole : phrases_) {
      const int32_t n_source = whole.source_end - whole.source_begin;
      const int32_t n_target = whole.target_end - whole.target_begin;
      const int64_t n_links = grid.n_links(whole.target_begin, whole.target_end);
      // How many words of the source side and of the target side gaps have to cover.
      const int32_t least_source = n_source - limits_.max_symbols;
      const int32_t least_target = n_target - limits_.max_target_symbols;
      const auto is_rule = [&](int32_t source, int32_t target, int64_t links, int n_gaps) {
        return source < n_source && source - n_gaps >= least_source &&
               target - n_gaps >= least_target && (!limits_.gap_needs_words || links < n_links);
      };
      for_each_inside(whole, whole.source_begin, [&](const BlockSpan& first) {
        const int32_t source = first.source_end - first.source_begin;
        const int32_t target = first.target_end - first.target_begin;
        const int64_t links = grid.n_links(first.target_begin, first.target_end);
        if (is_rule(source, target, links, 1)) visit(RuleSpan{whole, {first}, 1});
        if (limits_.max_gaps == 1) return;
        const int32_t behind = first.source_end + (limits_.adjacent_gaps ? 0 : 1);
        if (source + whole.source_end - behind - 2 < least_source) return;
        for_each_inside(whole, behind, [&](const BlockSpan& second) {
          if (second.target_begin < first.target_end && first.target_begin < second.target_end) {
            return;
          }
          const int64_t more = grid.n_links(second.target_begin, second.target_end);
          if (is_rule(source + second.source_end - second.source_begin,
                      target + second.target_end - second.target_begin, links + more, 2)) {
            visit(RuleSpan{whole, {first, second}, 2});
          }
        });
      });
    }
  }

 private:
  // Calls visit for every block without gaps and fills `phrases_` with what rules and gaps cover.
  template <typename Visit>
  void find_phrases(const LinkGrid& grid, Visit visit);
  void sort_phrases(int32_t n_source);
  bool is_tight(const LinkGrid& grid, const BlockSpan& span) const {
    return !grid.targets_of_source(span.source_begin).empty() &&
           !grid.targets_of_source(span.source_end - 1).empty() &&
           !grid.sources_of_target(span.target_begin).empty() &&
           !grid.sources_of_target(span.target_end - 1).empty();
  }
  // Calls visit for every phrase pair inside `whole` whose source begins at `from` or behind and
  // that is long enough for a gap.
  template <typename Visit>
  void for_each_inside(const BlockSpan& whole, int32_t from, Visit visit) const {
    for (int32_t s0 = from; s0 + limits_.min_gap <= whole.source_end; ++s0) {
      for (size_t i = starts_[s0]; i < starts_[s0 + 1]; ++i) {
        const BlockSpan& span = phrases_[i];
        if (span.source_end > whole.source_end) break;  // sorted by source end
        if (span.source_end - s0 < limits_.min_gap) continue;
        if (span.target_begin < whole.target_begin || span.target_end > whole.target_end) continue;
        visit(span);
      }
    }
  }

  RuleLimits limits_;
  std::vector<BlockSpan> phrases_;  // by source begin, then source end
  std::vector<size_t> starts_;      // of the phrase pairs by source begin
};

template <typename Visit>
void RuleFinder::find_phrases(const LinkGrid& grid, Visit visit) {
  phrases_.clear();
  const int max_words = limits_.max_words;
  const int max_span = limits_.max_gaps > 0 ? limits_.max_span : 0;
  for_each_block(grid, std::max(max_words, max_span), [&](const BlockSpan& span) {
    const int32_t longer = std::max(span.source_end - span.source_begin,
                                    span.target_end - span.target_begin);
    if (longer <= max_words) visit(span);
    if (longer <= max_span && (!limits_.tight || is_tight(grid, span))) phrases_.push_back(span);
  });
  sort_phrases(grid.n_source());
}

}  // namespace calque
