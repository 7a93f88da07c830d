// A rule as templates of sparse features see it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "blocks/gaps.h"
#include "decode/model.h"
#include "features/templates.h"

namespace calque {

// Of a rule with gaps templates see its own words, one behind the other, and the neighbours of its
// span; only a whole phrase knows where the gaps are, as the words [1] and [2]. One per thread.
// Oracle: tests/test_chart_sparse.py (names, made in Python).
class RuleValues {
 public:
  explicit RuleValues(const TemplateSet& set) : set_(set) {}

  void begin(const SentenceView& sentence);
  // Looks at a span [begin, end) and the gaps in it, from left to right.
  void place(int begin, int end, std::span<const std::array<int32_t, 2>> gaps);
  // A target side there. Valid until the next `place`.
  StepView view(int64_t row, std::span<const int32_t> target);
  // Its gaps there, from left to right on the source side.
  size_t n_gaps() const { return gaps_.size(); }
  GapView gap(size_t number, std::span<const int32_t> target) const;

  // What the view of this place is to be read with.
  const SentenceValues& sentence() const { return *at_; }
  // Whether a feature of the source side, or of both sides, can fire: whether there are words.
  bool has_source() const { return begin_ < end_; }
  bool has_both(const StepView& view) const { return has_source() && !view.target.empty(); }

 private:
  const TemplateSet& set_;
  std::span<const uint64_t> levels_;  // of all words of the sentence
  SentenceValues whole_, own_;
  const SentenceValues* at_ = nullptr;
  int begin_ = 0, end_ = 0;
  uint64_t source_ = 0;                      // the phrase, gaps included
  int place_begin_ = 0, place_end_ = 0;      // the span
  std::vector<std::array<int32_t, 2>> gaps_;
  std::vector<uint64_t> rows_;               // of the own words of a rule and of its neighbours
  std::vector<std::vector<int32_t>> targets_;  // own words of target sides with gaps; the rest is spare
  std::vector<std::vector<GapView>> gap_views_;  // of the same target sides
  size_t n_targets_ = 0;
  int n_words_ = 0;
};

}  // namespace calque
