// Which rules match which spans of a sentence.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "blocks/prefix_index.h"

namespace calque {

// A source side that matches a span, and where its gaps lie.
struct Match {
  int32_t phrase;
  int32_t n_gaps;
  std::array<std::array<int32_t, 2>, kMaxGaps> gaps;  // half-open spans
};

// Recursive CYK+ (Sennrich 2014): positions come from right to left, and at each of them spans from
// the shortest on, so that whatever fills a gap is there before it is asked for. Prefixes of rules
// that match are walked through depth first and never kept.
class Matcher {
 public:
  explicit Matcher(const PrefixIndex& index) : index_(index) {}

  // `blocked` says of each word whether no rule may touch it.
  void begin(std::span<const int32_t> words, std::span<const uint8_t> blocked, int max_span);

  // All rules that begin with the word at `position`, and forgets those of the position before.
  // `is_filled(begin, end)`: whether something may fill a gap there.
  template <typename IsFilled>
  void match_word(int position, const IsFilled& is_filled) {
    position_ = position;
    limit_ = std::min(static_cast<int>(words_.size()), position + max_span_);
    for (auto& ended : matches_) ended.clear();
    if (blocked_[static_cast<size_t>(position)]) return;
    const int32_t node = first_nodes_[static_cast<size_t>(position)];
    if (node != PrefixIndex::kNone) extend(node, position + 1, {}, is_filled);
  }
  // All rules that begin with a gap over [position, end).
  template <typename IsFilled>
  void match_gap(int end, const IsFilled& is_filled) {
    if (gap_node_ == PrefixIndex::kNone || end >= limit_) return;
    Match match{};
    match.gaps[match.n_gaps++] = {position_, end};
    go_on(gap_node_, end, match, gap_nodes_[static_cast<size_t>(end)], is_filled);
  }

  // Those that match [position, end).
  std::span<const Match> ending_at(int end) const {
    return matches_[static_cast<size_t>(end - position_ - 1)];
  }
  // The source side that is this word alone; below 0: there is none.
  int32_t phrase_of_word(int position) const {
    const int32_t node = first_nodes_[static_cast<size_t>(position)];
    return node != PrefixIndex::kNone ? index_.phrase(node) : -1;
  }

 private:
  // The rules that begin with what led to `node`, which matches up to `at`.
  template <typename IsFilled>
  void extend(int32_t node, int at, Match match, const IsFilled& is_filled) {
    match.phrase = index_.phrase(node);
    if (match.phrase >= 0) matches_[static_cast<size_t>(at - position_ - 1)].push_back(match);
    if (at >= limit_ || index_.is_leaf(node)) return;
    go_on(node, at, match, index_.child(node, words_[static_cast<size_t>(at)]), is_filled);
  }
  // One symbol more: the word at `at`, which leads to `word_child`, or a gap.
  template <typename IsFilled>
  void go_on(int32_t node, int at, Match match, int32_t word_child, const IsFilled& is_filled) {
    if (word_child != PrefixIndex::kNone && !blocked_[static_cast<size_t>(at)]) {
      extend(word_child, at + 1, match, is_filled);
    }
    if (match.n_gaps == kMaxGaps) return;
    const int32_t gap_child = index_.gap_child(node);
    if (gap_child == PrefixIndex::kNone) return;
    auto& gap = match.gaps[static_cast<size_t>(match.n_gaps++)];
    for (int end = at + 1; end <= limit_; ++end) {
      if (!is_filled(at, end)) continue;
      gap = {at, end};
      extend(gap_child, end, match, is_filled);
    }
  }

  PrefixIndex index_;
  std::vector<int32_t> words_;
  std::span<const uint8_t> blocked_;
  int max_span_ = 0;
  int position_ = 0, limit_ = 0;
  int32_t gap_node_ = PrefixIndex::kNone;
  std::vector<int32_t> first_nodes_, gap_nodes_;  // where each word leads from the root, from a gap
  std::vector<std::vector<Match>> matches_;       // by where they end
};

}  // namespace calque
