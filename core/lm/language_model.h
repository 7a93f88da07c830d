// An n-gram language model with backoff: lookup over arrays that somebody else owns.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "hash.h"

namespace calque {

inline constexpr int kMaxLmOrder = 7;
inline constexpr int32_t kUnknownWord = 0, kStartWord = 1, kEndWord = 2;

// What the model knows of a unigram. A backoff of -0.0 says more than 0: no n-gram of the model
// continues this one, so a state need not remember it.
struct LmEntry {
  float log_prob = 0;
  float backoff = -0.0f;
};

// The same of a longer n-gram, in the slot of an open-addressing table; key 0 is a free slot.
struct LmSlot {
  uint64_t key = 0;
  float log_prob = 0;
  float backoff = -0.0f;
};

// Whether a history that ends with this backoff can still matter to the words that follow.
inline bool lm_matters(float backoff) { return std::bit_cast<uint32_t>(backoff) != 0x80000000u; }

// The key of an n-gram grows from its last word to its first: `lm_key` of the last word, then
// `lm_extend` for each word before it. Rotation and odd multipliers let every word reach the upper
// bits, which choose the slot.
inline uint64_t lm_extend(uint64_t key, int32_t earlier_word) {
  const uint64_t word = (static_cast<uint64_t>(earlier_word) + 1) * 0x9e3779b97f4a7c15ULL;
  return (std::rotl(key, 29) ^ word) * 0xd6e8feb86659fd93ULL;
}
inline uint64_t lm_key(int32_t word) { return lm_extend(0x2545f4914f6cdd1dULL, word); }

// Open addressing with linear probing over any number of slots of which at least one is free.
class LmTable {
 public:
  LmTable() = default;
  explicit LmTable(std::span<const LmSlot> slots) : slots_(slots.data()), size_(slots.size()) {}

  // The slot with this key, or null.
  const LmSlot* find(uint64_t key) const {
    key |= key == 0;
    for (size_t at = home(key, size_);; at = at + 1 == size_ ? 0 : at + 1) {
      if (slots_[at].key == key) return slots_ + at;
      if (slots_[at].key == 0) return nullptr;
    }
  }
  void prefetch(uint64_t key) const { __builtin_prefetch(slots_ + home(key, size_)); }

  // Where the search for a key begins: its upper bits scaled to the table.
  static size_t home(uint64_t key, size_t size) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<size_t>((static_cast<Wide>(key) * size) >> 64);
  }

 private:
  const LmSlot* slots_ = nullptr;
  size_t size_ = 0;
};

// How many slots of a table are free: at least one where looking for a key ends. -1 where a log
// probability or a backoff is not finite.
int64_t n_free_slots(std::span<const LmSlot> slots);

// The shortest history that decides what every continuation scores, most recent word first. A plain
// key: entries from `length` on are zero, and equal states score every continuation alike.
struct LmState {
  std::array<int32_t, kMaxLmOrder - 1> words{};
  uint8_t length = 0;
  // backoffs[k] belongs to the history of k + 1 words; derived from the words, so not compared.
  std::array<float, kMaxLmOrder - 1> backoffs{};

  bool operator==(const LmState& other) const {
    return length == other.length && words == other.words;
  }
  uint64_t hash() const {
    uint64_t hash = length;
    for (int k = 0; k < length; ++k) hash = lm_extend(hash, words[k]);
    return mix(hash);
  }
};

// A view: the arrays must outlive it. Cheap to construct and to copy; safe from many threads.
// Contract of the arrays, which counting gives and ArpaReader restores: with an n-gram the model
// also has what remains without its first word. Oracles: tests/test_lm_kenlm.py,
// tests/test_lm_state.py.
class LanguageModel {
 public:
  // `tables[n - 2]` holds the n-grams of order n; `unigrams` is indexed by word.
  LanguageModel(std::span<const LmEntry> unigrams, std::span<const std::span<const LmSlot>> tables)
      : unigrams_(unigrams), order_(static_cast<int>(tables.size()) + 1) {
    for (size_t i = 0; i < tables.size(); ++i) tables_[i] = LmTable(tables[i]);
  }

  int order() const { return order_; }
  int32_t n_words() const { return static_cast<int32_t>(unigrams_.size()); }
  const LmEntry& unigram(int32_t word) const { return unigrams_[word]; }
  // Precondition: 2 <= n <= order().
  const LmTable& table(int n) const { return tables_[n - 2]; }

  // The state that knows nothing: what follows is scored by its own words only.
  LmState empty() const { return {}; }
  // The state after the start of the sentence.
  LmState begin() const {
    LmState state;
    if (order_ > 1 && lm_matters(unigrams_[kStartWord].backoff)) {
      state.words[0] = kStartWord;
      state.backoffs[0] = unigrams_[kStartWord].backoff;
      state.length = 1;
    }
    return state;
  }

  // The natural-log probability of `word` after `in`, and the state after it. Preconditions: `out`
  // is not `in`; 0 <= word < n_words(); words that the model lacks are kUnknownWord.
  float score(const LmState& in, int32_t word, LmState& out) const {
    int matched;
    return score(in, word, out, matched);
  }
  // The same, and the length of the n-gram that was found.
  float score(const LmState& in, int32_t word, LmState& out, int& matched) const;

 private:
  std::span<const LmEntry> unigrams_;
  std::array<LmTable, kMaxLmOrder - 1> tables_;
  int order_;
};

// Sums of the log probabilities of sentence i, ids[offsets[i] .. offsets[i + 1]), and its end, into
// `sums`; where not empty, `log_probs` and `matched` receive each word's own, the ends included.
// Ids outside the model count as unknown words. Sentences are shared out among the threads.
void score_sentences(const LanguageModel& model, std::span<const int32_t> ids,
                     std::span<const int64_t> offsets, int threads, std::span<double> sums,
                     std::span<float> log_probs, std::span<uint8_t> matched);

inline float LanguageModel::score(const LmState& in, int32_t word, LmState& out,
                                  int& matched) const {
  // All keys at once, so that the memory of every order is on its way before the first is needed.
  std::array<uint64_t, kMaxLmOrder - 1> keys;
  uint64_t key = lm_key(word);
  for (int k = 0; k < in.length; ++k) {
    keys[k] = key = lm_extend(key, in.words[k]);
    tables_[k].prefetch(key);
  }
  const LmEntry& unigram = unigrams_[word];
  float log_prob = unigram.log_prob;
  int length = order_ > 1 && lm_matters(unigram.backoff) ? 1 : 0;
  out.words[0] = word;
  out.backoffs[0] = unigram.backoff;
  int k = 0;
  for (; k < in.length; ++k) {
    const LmSlot* slot = tables_[k].find(keys[k]);
    if (slot == nullptr) break;
    log_prob = slot->log_prob;
    if (k + 2 == order_) {
      ++k;
      break;
    }
    out.words[k + 1] = in.words[k];
    out.backoffs[k + 1] = slot->backoff;
    if (lm_matters(slot->backoff)) length = k + 2;
  }
  matched = k + 1;
  for (; k < in.length; ++k) log_prob += in.backoffs[k];
  out.length = static_cast<uint8_t>(length);
  for (int i = length; i < kMaxLmOrder - 1; ++i) out.words[i] = 0;
  return log_prob;
}

}  // namespace calque
