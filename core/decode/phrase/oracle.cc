#include "decode/phrase/oracle.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace calque {
namespace {

// No translation has more words: every option covers a source word.
int most_words(const OptionTable& table) {
  size_t longest = 0;
  for (const Option& option : table.all()) longest = std::max(longest, option.target.size());
  return table.size() * static_cast<int>(longest);
}

}  // namespace

OracleTarget::OracleTarget(ReferenceNgrams references, bool brevity_penalty,
                           const OptionTable& table)
    : references_(std::move(references)),
      bleu_(references_.lengths(), brevity_penalty, most_words(table)),
      n_source_(table.size()),
      word_offsets_{0},
      used_(references_.size()) {
  for (const Option& option : table.all()) {
    for (const int32_t word : option.target) words_.push_back(references_.word(word));
    word_offsets_.push_back(words_.size());
  }
}

int32_t OracleTarget::begin() {
  states_.clear();
  all_used_.assign(references_.size(), 0);
  return states_.intern({});
}

TargetStep OracleTarget::step(int32_t from, const Option& option, int32_t id, int) {
  load(from);
  const double before = states_[from].score;
  const State to = append(states_[from], option, id);
  const auto n_known = static_cast<int32_t>(states_.size());
  const int32_t state = states_.intern(to);
  if (state == n_known) all_used_.insert(all_used_.end(), used_.begin(), used_.end());
  appended_.clear();
  return {static_cast<float>(to.score - before), state};
}

void OracleTarget::look_ahead(int32_t state, std::span<const Option> options, int32_t first,
                              std::vector<double>& scores) {
  load(state);
  scores.clear();
  const State from = states_[state];
  for (const Option& option : options) {
    scores.push_back(append(from, option, first++).score);
    take_back();
  }
}

void OracleTarget::load(int32_t state) {
  const auto n = static_cast<std::ptrdiff_t>(used_.size());
  std::copy_n(all_used_.begin() + state * n, n, used_.begin());
}

OracleTarget::State OracleTarget::append(const State& from, const Option& option, int32_t id) {
  State to = from;
  int32_t node = from.context;
  const auto at = static_cast<size_t>(id);
  for (size_t i = word_offsets_[at]; i < word_offsets_[at + 1]; ++i) {
    node = references_.read(node, words_[i]);
    for (int32_t ngram = node; ngram != 0; ngram = references_.suffix(ngram)) {
      uint8_t& used = used_[static_cast<size_t>(ngram)];
      if (used == references_.count(ngram)) continue;
      ++used;
      ++to.matches[static_cast<size_t>(references_.order(ngram) - 1)];
      to.used += mix(static_cast<uint64_t>(ngram));
      appended_.push_back(ngram);
    }
  }
  to.context = references_.context(node);
  to.length += static_cast<int32_t>(word_offsets_[at + 1] - word_offsets_[at]);
  double share = 1;
  if (bleu_.has_brevity_penalty()) {
    to.n_covered += option.end - option.begin;
    share = static_cast<double>(to.n_covered) / n_source_;
  }
  to.score = bleu_(to.matches, to.length, share);
  return to;
}

void OracleTarget::take_back() {
  for (const int32_t ngram : appended_) --used_[static_cast<size_t>(ngram)];
  appended_.clear();
}

void keep_useful(OptionTable& table, const ReferenceNgrams& references, bool brevity_penalty, int n) {
  struct Candidate {
    int32_t begin, end;
    uint64_t seen;  // what the references see of the target words
    size_t length, id;
    auto order() const { return std::tuple(begin, end, seen, length, id); }
  };
  std::vector<Candidate> candidates;
  for (const Option& option : table.all()) {
    uint64_t seen = 0;
    int32_t last = -1;
    for (const int32_t target_word : option.target) {
      const int32_t word = references.word(target_word);
      const bool repeats = word == ReferenceNgrams::kElsewhere && word == last;
      if (brevity_penalty || !repeats) seen = append_word(seen, word);
      last = word;
    }
    candidates.push_back({option.begin, option.end, seen, option.target.size(), candidates.size()});
  }
  std::ranges::sort(candidates, {}, &Candidate::order);
  std::vector<uint8_t> wanted(candidates.size());
  int n_alike = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const auto alike = [](const Candidate& a, const Candidate& b) {
      return a.begin == b.begin && a.end == b.end && a.seen == b.seen;
    };
    n_alike = i > 0 && alike(candidates[i - 1], candidates[i]) ? n_alike + 1 : 0;
    wanted[candidates[i].id] = n_alike < n;
  }
  table.keep(wanted);
}

}  // namespace calque
