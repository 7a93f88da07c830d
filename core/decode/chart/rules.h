// The rules that a chart search applies: scored once, with what their words say to language models.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decode/chart/matches.h"
#include "decode/chart/reference_parts.h"
#include "decode/chart/rule.h"
#include "decode/chart/rule_runs.h"
#include "decode/chart/rule_sums.h"
#include "decode/constraints.h"
#include "decode/leave_one_out.h"
#include "decode/model.h"
#include "features/feature_set.h"
#include "flat_map.h"

namespace calque {

// Which target sides of a source side are kept; 0: all.
struct TargetLimits {
  int per_source;   // those that score best
  int in_sentence;  // those whose sparse features of the place are looked up: the best without
  int max_targets;  // that are looked at: the first, in the table's order
};

// Finds the rules of source sides and scores them. What recurs is remembered from sentence to
// sentence. Not thread-safe: one per thread.
class RuleBook {
 public:
  // `leave_one_out`: what to leave out for sentences with a pair; may be null.
  RuleBook(const ModelView& model, const WeightView& weights, const TargetLimits& limits,
           const LeaveOneOut* leave_one_out);

  // Forgets what only the sentence before had; numbers of rules hold until the next call.
  void begin(const SentenceView& sentence);
  // The same, and from now on finds only rules that can give a part of this reference, which outlives
  // the sentence.
  void begin(const SentenceView& sentence, std::span<const int32_t> reference);

  // The rules of a source side that matches [begin, end), the most promising first, by their numbers.
  // None, where only the pair that is left out has them.
  std::pair<int32_t, int32_t> rules(const Match& match, int begin, int end);
  // Whether a rule of this source side, a word, is left for the sentence.
  bool is_left(int32_t phrase, int position);
  // The rule that copies a word; that gives what the user requires.
  int32_t copy(int position);
  int32_t required(const Constraint& constraint);

  const Rule& operator[](int32_t id) const {
    if (id >= kOwn) return own_rules_[static_cast<size_t>(id - kOwn)];
    return id >= kPlaced ? (*this)[placed(id).rule] : rules_[static_cast<size_t>(id)];
  }
  // What its features say of a rule here; and with the language models of its runs by themselves.
  float score(int32_t id) const { return is_placed(id) ? placed(id).score : (*this)[id].score; }
  float estimate(int32_t id) const {
    return is_placed(id) ? placed(id).estimate : (*this)[id].estimate;
  }
  // A piece of a rule that is no gap.
  const RuleRun& run(const Rule& rule, int32_t piece) const {
    return rule.block >= 0 ? runs_[piece] : own_runs_[static_cast<size_t>(piece)];
  }

 private:
  // Where numbers of rules at their places begin, and of rules that only the sentence has.
  static constexpr int32_t kPlaced = 1 << 29, kOwn = 1 << 30;

  // Rules by their numbers: a half-open range of them.
  using Range = std::pair<int32_t, int32_t>;

  static bool is_placed(int32_t id) { return id >= kPlaced && id < kOwn; }
  const PlacedRule& placed(int32_t id) const { return placed_[static_cast<size_t>(id - kPlaced)]; }
  void forget_rules();
  Range known(const Match& match, int begin, int end);
  Range learn(int32_t phrase);
  Range without_pair(int32_t phrase, const Range& known);
  Range at_place(const Range& known);
  void score_own(Rule& rule, int begin, int end);
  Rule start(int64_t block, std::span<const int32_t> target) const;
  void add_words(Rule& rule, bool is_copy);
  int32_t add_own(const Rule& rule);

  ModelView model_;
  std::span<const double> weights_;
  TargetLimits limits_;
  SentenceView sentence_;
  std::optional<ReferenceParts> wanted_;
  std::optional<PairLeftOut> left_out_;
  std::array<float, 2> frequency_weights_{};  // of source given target, of target given source
  KeyMap<Range> known_;  // by source side
  KeyMap<Range> left_;   // what is left of them for the sentence
  std::optional<RuleSums> sparse_;
  int block_limit_;  // of target sides, before features of their place are known
  bool scores_places_ = false;
  std::vector<Rule> rules_, own_rules_;  // of the table; of the sentence
  RuleRuns runs_;
  std::vector<RuleRun> own_runs_;
  std::vector<PlacedRule> placed_;
  std::vector<Rule> learned_;
};

}  // namespace calque
