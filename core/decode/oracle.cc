#include "decode/oracle.h"

#include <algorithm>
#include <cmath>

namespace calque {
namespace {

uint64_t extend_ngram(uint64_t hash, int32_t earlier_word) {
  return mix(hash * 31 + static_cast<uint32_t>(earlier_word) + 1);
}

}  // namespace

double sentence_bleu(const std::array<int, 4>& matches, int length) {
  if (length == 0 || matches[0] == 0) return 0;
  double log_sum = std::log(static_cast<double>(matches[0]) / length);
  for (int n = 2; n <= 4; ++n) {
    const int total = std::max(0, length - n + 1);
    log_sum += std::log((matches[static_cast<size_t>(n - 1)] + 1.0) / (total + 1.0));
  }
  return std::exp(log_sum / 4);
}

OracleTarget::OracleTarget(std::span<const int32_t> reference) {
  for (size_t end = 0; end < reference.size(); ++end) {
    uint64_t hash = 0;
    for (size_t n = 1; n <= kOrder && n <= end + 1; ++n) {
      hash = extend_ngram(hash, reference[end + 1 - n]);
      const auto [at, is_new] = ngrams_.emplace(hash, static_cast<int32_t>(counts_.size()));
      if (is_new) counts_.push_back(0);
      uint8_t& count = counts_[static_cast<size_t>(at->second)];
      if (count < UINT8_MAX) ++count;
    }
  }
}

int32_t OracleTarget::begin() {
  states_.clear();
  State state;
  state.last.fill(kNoWord);
  state.used.assign(counts_.size(), 0);
  return states_.intern(state);
}

TargetStep OracleTarget::step(int32_t from, const Option& option, int32_t) {
  State state = states_[from];
  const double before = sentence_bleu(state.matches, state.length);
  for (const int32_t word : option.target) append(state, word);
  const double after = sentence_bleu(state.matches, state.length);
  return {static_cast<float>(after - before), states_.intern(state)};
}

void OracleTarget::append(State& state, int32_t word) const {
  uint64_t hash = extend_ngram(0, word);
  for (size_t n = 1; n <= kOrder; ++n) {
    if (const auto found = ngrams_.find(hash); found != ngrams_.end()) {
      uint8_t& used = state.used[static_cast<size_t>(found->second)];
      if (used < counts_[static_cast<size_t>(found->second)]) {
        ++used;
        ++state.matches[n - 1];
      }
    }
    if (n == kOrder || state.last[n - 1] == kNoWord) break;
    hash = extend_ngram(hash, state.last[n - 1]);
  }
  for (size_t i = state.last.size() - 1; i > 0; --i) state.last[i] = state.last[i - 1];
  state.last[0] = word;
  ++state.length;
}

uint64_t OracleTarget::State::hash() const {
  uint64_t hash = hash_bytes({reinterpret_cast<const char*>(used.data()), used.size()});
  for (const int32_t word : last) hash = extend_ngram(hash, word);
  return mix(hash + static_cast<uint64_t>(length));
}

}  // namespace calque
