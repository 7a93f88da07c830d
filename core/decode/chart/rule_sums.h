// What sparse features add to the scores of rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decode/chart/rule.h"
#include "decode/chart/rule_values.h"
#include "decode/model.h"
#include "features/sparse/sparse_scorer.h"
#include "flat_map.h"

namespace calque {

// Sums of weights for the rules of one source side, which the last `place` has told. What no place in
// the sentence changes is asked for once in a sentence. Not thread-safe: one per thread. Oracle:
// tests/test_chart_sparse.py (features found one by one).
class RuleSums {
 public:
  RuleSums(const TemplateSet& set, std::shared_ptr<const SparsePlans> plans)
      : scorer_(std::move(plans)), values_(set) {}

  // Whether there are weights of features of a source side's place; of each rule there.
  bool has_of_span() const { return scorer_.has(Scope::kSpan); }
  bool has_of_options() const { return scorer_.has(Scope::kOption); }
  bool has_of_gaps() const { return scorer_.has(Scope::kGaps); }

  // To be called for each sentence.
  void begin(const SentenceView& sentence);
  // Where the rules stand that are asked for: a span and the gaps in it, from left to right.
  void place(int begin, int end, std::span<const std::array<int32_t, 2>> gaps) {
    values_.place(begin, end, gaps);
  }
  // Adds what features give wherever the rules stand.
  void add_everywhere(std::span<Rule> rules) { add(rules, Scope::kPhrase, Scope::kBlock); }
  // Adds what features of this place give.
  void add_here(std::span<Rule> rules) { add(rules, Scope::kSpan, Scope::kOption); }
  // What features of this place give all rules of the block table that stand there.
  float of_span();
  // .. and what they give each of these; `first` is a number of theirs, the same all through a
  // sentence. Valid until the next call.
  std::span<const float> of_options(int32_t first, std::span<const Rule> rules);
  // .. and what features of gaps give each of these.
  std::span<const float> of_gaps(std::span<const Rule> rules);

 private:
  void add(std::span<Rule> rules, Scope of_source, Scope of_both);
  // Asks for what templates of both sides give each rule that has words of its own on both.
  void ask_of_both(std::span<const Rule> rules, Scope scope);

  SparseScorer scorer_;
  RuleValues values_;
  std::vector<StepView> views_;
  std::vector<size_t> viewed_;  // the rules of these views
  KeyMap<size_t> remembered_;   // of options: where the sums of rules begin, by their number
  std::vector<float> of_options_;
  KeyMap<uint32_t> gap_numbers_;  // of the sentence: by what is seen of a gap
  std::vector<float> gap_sums_;   // by their numbers
  std::vector<GapView> new_gaps_;
  std::vector<uint32_t> numbers_;  // of the gaps of some rules
  std::vector<float> of_gaps_;
};

}  // namespace calque
