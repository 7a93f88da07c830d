// Finds the options of sentences and scores them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decode/leave_one_out.h"
#include "decode/model.h"
#include "decode/phrase/option_scorer.h"
#include "decode/phrase/options.h"
#include "features/sparse/sparse_scorer.h"

namespace calque {

// Which options of a span are kept; 0: all.
struct OptionLimits {
  int per_span;     // the best, whatever they are
  int in_sentence;  // those whose sparse features of the place are looked up: the best without
  int max_targets;  // blocks of a source phrase that are looked at: the first, in the table's order
  // The best are those seen in most events, of equal ones the first rows (Tillmann & Zhang 2005):
  // of all blocks of the phrase. Else those that score best.
  bool by_count;
};

// What recurs is remembered from sentence to sentence. Not thread-safe: one per thread.
class OptionCollector {
 public:
  // Keeps those options of a span that score best by everything that the block and its place in the
  // sentence decide, the latter as far as `limits.in_sentence` allows, or those seen most often.
  // `leave_one_out`: what to leave out for sentences that have a pair, if anything; counts of events
  // stay. Precondition: where a count is asked for, the model has counts of events.
  // Oracle: tests/test_decode_options.py (all options, ranked), tests/test_decode_local.py.
  OptionCollector(const ModelView& model, const WeightView& weights, const OptionLimits& limits,
                  const OptionUse& use, const LeaveOneOut* leave_one_out = nullptr);

  // Fills the table with the options of a sentence. A word that no block covers alone is copied. The
  // span of a constraint has one option and may be of any length; no other option touches it. With
  // `within`, only options whose words occur there in a row. Precondition: constraints are not
  // empty, do not overlap and stand from left to right.
  void collect(OptionTable& table, const SentenceView& sentence,
               std::span<const Constraint> constraints = {},
               std::optional<std::span<const int32_t>> within = std::nullopt);

 private:
  void add_blocks(int begin, int end, int64_t phrase);
  void add_blocks_within(int begin, int end, int64_t phrase, std::span<const int32_t> reference);
  void add_blocks_without_pair(int begin, int end, int64_t phrase, std::span<const Option> known);
  void add_changed(const Option& option, int begin, int end, const FrequencyChange& change);
  void add_copy(int position);
  void add_required(const Constraint& constraint);
  void view_all(std::span<const Option> options);
  void ask_sparse(Scope scope, std::span<StepView> steps);
  BlockRange best_blocks(int64_t phrase) const;
  std::span<const Option> known_options(int begin, int end, int64_t phrase);
  void learn_phrase(int begin, int end, int64_t phrase, std::pair<size_t, size_t>& known);
  void score_blocks(std::span<Option> options);
  void score_in_sentence(size_t from);
  void score_places(size_t from);
  void score_orientations(size_t from);
  bool has_more_events(int64_t block, int64_t other) const;
  void keep_best(std::vector<Option>& options, size_t from, int limit) const;
  void sort_by_score(size_t from);
  void number_next_classes();

  ModelView model_;
  OptionScorer dense_;
  int limit_;        // of the options of a span
  int max_targets_;  // of a source phrase
  int block_limit_;  // .. before features of their place are known
  bool by_count_;
  bool normalises_;
  std::optional<SparseScorer> sparse_;
  std::optional<PairLeftOut> left_out_;
  FrequencyChange frequency_weights_{};
  OptionTable* table_ = nullptr;  // that is being filled
  std::vector<StepView> views_;   // of options that are being scored
  // The options kept of source phrases met before: most phrases of a text are frequent ones, and the
  // frequent ones have the most blocks. Rows of `known_`.
  std::unordered_map<int64_t, std::pair<size_t, size_t>> known_phrases_;
  std::vector<Option> known_;
  std::vector<Option> own_options_;  // of the pair that is left out, of one phrase
  std::vector<int64_t> rows_;        // of a phrase that is being learned
};

}  // namespace calque
