#include "decode/leave_one_out.h"

#include <algorithm>
#include <cmath>

#include "blocks/gaps.h"
#include "error.h"

namespace calque {
namespace {

float log_ratio(int32_t part, int32_t whole) {
  return static_cast<float>(std::log(part / static_cast<double>(whole)));
}

}  // namespace

TrainingCorpus::TrainingCorpus(const AlignedCorpus& pairs, const BlockTable& blocks,
                               const RuleLimits& rules)
    : corpus(pairs), table(blocks), limits(rules), targets(blocks) {
  if (static_cast<int64_t>(table.joint_counts.size()) != table.n_blocks() ||
      static_cast<int64_t>(table.source_counts.size()) != table.n_sources() ||
      table.target_counts.size() != targets.size()) {
    throw Error("the block table has no counts: no pair can be left out of them");
  }
  for (const int32_t word : corpus.source) {
    const auto at = static_cast<size_t>(word);
    if (at >= word_counts.size()) word_counts.resize(at + 1);
    ++word_counts[at];
  }
}

void PairLeftOut::begin(int64_t pair) {
  active_ = pair >= 0;
  if (!active_) return;
  source_ = how_.training->corpus[pair].source;
  own_.count(how_.training->corpus, pair);
}

std::span<const int64_t> PairLeftOut::own_blocks(int64_t phrase, const BlockRange& some) {
  own_blocks_.clear();
  for (int64_t block = some.begin; block < some.end; ++block) {
    if (is_own(phrase, block)) own_blocks_.push_back(block);
  }
  return own_blocks_;
}

bool PairLeftOut::is_own(int64_t phrase, int64_t block) const {
  const auto row = static_cast<size_t>(block);
  const int32_t joint = table_.joint_counts[row], target = table_.target_phrase[row];
  if (joint == 0) return has_every(table_.source(phrase).front());  // made for a word, no rule
  if (how_.what == LeaveOneOut::What::kCounts) return own_.of_target(target) > 0;
  // With several sets of links a block of one place has a count for each; and a rule with gaps has a
  // count for all that may fill them, of which one pair alone has many.
  const bool is_rare = joint <= how_.training->corpus.n_sets() ||
                       std::ranges::any_of(table_.source(phrase), is_gap);
  return is_rare && own_.of_block(phrase, target) == joint;
}

PairLeftOut::Change PairLeftOut::common_change(int64_t phrase) const {
  if (how_.what != LeaveOneOut::What::kCounts) return {0, 0};
  const int32_t whole = table_.source_counts[static_cast<size_t>(phrase)];
  const int32_t own = own_.of_source(phrase);
  return {0, own > 0 && own < whole ? -log_ratio(whole - own, whole) : 0};
}

std::optional<PairLeftOut::Change> PairLeftOut::own_change(int64_t phrase, int64_t block) const {
  const auto row = static_cast<size_t>(block);
  if (table_.joint_counts[row] == 0) return std::nullopt;
  const int32_t target = table_.target_phrase[row];
  const int32_t joint = table_.joint_counts[row] - own_.of_block(phrase, target);
  const float* scores = &table_.scores[4 * row];
  const auto to = [&](float source_given_target, float target_given_source) {
    return Change{source_given_target - scores[0], target_given_source - scores[2]};
  };
  if (joint > 0) {
    const auto source = static_cast<size_t>(phrase), at = static_cast<size_t>(target);
    return to(log_ratio(joint, table_.target_counts[at] - own_.of_target(target)),
              log_ratio(joint, table_.source_counts[source] - own_.of_source(phrase)));
  }
  if (how_.what != LeaveOneOut::What::kCounts || !how_.unseen) return std::nullopt;
  const auto n_words_of = [](std::span<const int32_t> side) {
    return static_cast<int64_t>(side.size()) - std::ranges::count_if(side, is_gap);
  };
  const int64_t n_words = n_words_of(table_.source(phrase)) + n_words_of(table_.target(block));
  const float penalty = how_.unseen->fixed + how_.unseen->per_word * static_cast<float>(n_words);
  return to(penalty, penalty);
}

bool PairLeftOut::forgets(int64_t phrase) const {
  const auto [first, last] = table_.blocks(phrase);
  for (int64_t block = first; block < last; ++block) {
    if (change(phrase, block)) return false;
  }
  return true;
}

bool PairLeftOut::has_every(int32_t word) const {
  const auto& counts = how_.training->word_counts;
  const auto at = static_cast<size_t>(word);
  return at >= counts.size() || std::ranges::count(source_, word) == counts[at];
}

}  // namespace calque
