#include "decode/chart/oracle_sides.h"

#include <algorithm>
#include <utility>

#include "decode/chart/hypergraph.h"
#include "decode/word_hash.h"

namespace calque {
namespace {

// Of parts of equal BLEU the one with more matches is better: without a brevity penalty one right word
// is as good as all of them.
constexpr double kOfAMatch = 1e-6;
constexpr int kUsualWordsPerWord = 8;  // for a table of logs

}  // namespace

void OracleSides::set_references(ReferenceNgrams references, bool brevity_penalty, int n_source,
                                 int n_alike) {
  references_.emplace(std::move(references));
  bleu_.emplace(references_->lengths(), brevity_penalty, n_source * kUsualWordsPerWord);
  n_source_ = std::max(1, n_source);
  n_alike_ = n_alike;
}

void OracleSides::begin() {
  states_.clear();
  all_used_.clear();
  chosen_.clear();
  own_.clear();
  used_.assign(references_->size(), 0);
}

std::span<const int32_t> OracleSides::choose(const RuleBook& rules, int32_t first, int32_t last) {
  const auto [known, is_new] = chosen_.try_emplace(first);
  if (!is_new) return known->second;
  std::unordered_map<uint64_t, int> n_like;  // by what the references see of the target words
  for (int32_t id = first; id < last; ++id) {
    const Rule& rule = rules[id];
    uint64_t seen = 0;
    for (const int32_t symbol : rule.target) {
      const bool gap = rule.block >= 0 && is_gap(symbol);
      seen = append_word(seen, gap ? -symbol : references_->word(symbol));
    }
    if (++n_like[seen] <= n_alike_) known->second.push_back(id);
  }
  return known->second;
}

double OracleSides::estimate(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& parts) {
  Own sum;
  if (id != Application::kGlue) sum = own(rules, id);
  for (const int32_t state : parts) {
    if (state == kNothing) continue;
    const State& part = states_[state];
    for (size_t n = 0; n < sum.matches.size(); ++n) sum.matches[n] += part.matches[n];
    sum.length += part.length;
  }
  return score(sum.matches, sum.length);
}

const OracleSides::Own& OracleSides::own(const RuleBook& rules, int32_t id) {
  const auto [known, is_new] = own_.try_emplace(id);
  if (!is_new) return known->second;
  clear_part();
  const Rule& rule = rules[id];
  for (const int32_t symbol : rule.target) {
    if (rule.block >= 0 && is_gap(symbol)) {
      part_.right = 0;
    } else {
      add_word(references_->word(symbol));
    }
  }
  known->second = {part_.matches, part_.length};
  return known->second;
}

ChartJoin OracleSides::apply(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& fillers) {
  clear_part();
  const Rule& rule = rules[id];
  for (const int32_t symbol : rule.target) {
    if (rule.block >= 0 && is_gap(symbol)) {
      add_part(fillers[static_cast<size_t>(symbol - kFirstGap)]);
    } else {
      add_word(references_->word(symbol));
    }
  }
  return part();
}

ChartJoin OracleSides::append(int32_t before, int32_t following) {
  clear_part();
  part_.is_closed = true;  // nothing can stand on the left
  if (before != kNothing) add_part(before);
  add_part(following);
  return part();
}

double OracleSides::bleu(std::span<const int32_t> words) {
  clear_part();
  for (const int32_t word : words) add_word(references_->word(word));
  return (*bleu_)(part_.matches, part_.length, 1);
}

void OracleSides::clear_part() {
  part_ = {};
  std::ranges::fill(used_, 0);
}

void OracleSides::add_word(int32_t word) {
  const int32_t node = references_->read(part_.right, word);
  for (int32_t ngram = node; ngram != 0; ngram = references_->suffix(ngram)) use(ngram, 0, 1);
  extend_left(word);
  part_.right = references_->context(node);
  ++part_.length;
}

// N-grams that reach from the words before into those of a state, and those of the state.
void OracleSides::add_part(int32_t id) {
  const State& state = states_[id];
  int32_t node = part_.right;
  for (int32_t at = 0; at < state.n_first; ++at) {
    const int32_t word = state.first[static_cast<size_t>(at)];
    node = references_->read(node, word);
    for (int32_t ngram = node; ngram != 0; ngram = references_->suffix(ngram)) use(ngram, at + 1, 1);
    extend_left(word);
  }
  const size_t n = used_.size();
  const uint8_t* const its_used = &all_used_[static_cast<size_t>(id) * n];
  for (size_t ngram = 1; ngram < n; ++ngram) {
    if (its_used[ngram] > 0) use(static_cast<int32_t>(ngram), 0, its_used[ngram]);
  }
  part_.is_closed |= state.is_closed;
  part_.right = state.is_closed ? state.right : references_->context(node);
  part_.length += state.length;
}

// Counts an n-gram of more than so many words, no more often than the references have it.
void OracleSides::use(int32_t ngram, int longer_than, int times) {
  const int order = references_->order(ngram);
  if (order <= longer_than) return;
  uint8_t& used = used_[static_cast<size_t>(ngram)];
  const int more = std::min(times, references_->count(ngram) - used);
  used = static_cast<uint8_t>(used + more);
  part_.matches[static_cast<size_t>(order - 1)] += more;
  part_.used += static_cast<uint64_t>(more) * mix(static_cast<uint64_t>(ngram));
}

void OracleSides::extend_left(int32_t word) {
  if (part_.is_closed) return;
  const int32_t node = references_->read(part_.left, word);
  if (references_->order(node) != part_.n_first + 1) {
    part_.is_closed = true;
    return;
  }
  part_.left = node;
  part_.first[static_cast<size_t>(part_.n_first++)] = word;
  part_.is_closed = part_.n_first == kReach;
}

ChartJoin OracleSides::part() {
  const auto n_known = static_cast<int32_t>(states_.size());
  const int32_t state = states_.intern(part_);
  if (state == n_known) all_used_.insert(all_used_.end(), used_.begin(), used_.end());
  return {score(part_.matches, part_.length), state};
}

double OracleSides::score(const OracleBleu::Matches& matches, int length) const {
  double sum = (*bleu_)(matches, length, share_);
  for (const int32_t n : matches) sum += kOfAMatch * n;
  return sum;
}

}  // namespace calque
