// ARPA text to lists of n-grams, block by block.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lm/build.h"
#include "text/word_table.h"

namespace calque {

// Feed blocks of complete lines, then finish. Every mistake of the text throws Error with a message
// that fits after "line N: ", where N is line(). Words are numbered by first occurrence after the
// reserved three.
//
// What is forgiven, as KenLM forgives it: no <unk> (log10 probability -100) or <UNK> for it; an
// n-gram whose end (the n-gram without its first word) is not listed: finish() adds the end with
// the probability that backing off gives, which changes no score. What is not: an n-gram whose
// context is not listed, a missing <s> or </s>. Fields may be separated by any run of spaces and
// tabs. Oracles: tests/test_lm_arpa.py, tests/test_lm_kenlm.py.
class ArpaReader {
 public:
  ArpaReader();

  void feed(std::string_view block);
  void finish();

  int64_t line() const { return line_; }
  int order() const { return static_cast<int>(orders_.size()); }
  const WordTable& words() const { return words_; }
  // Natural logs, by order from 1. After finish(), until the next call.
  std::span<const Ngram> ngrams(int n) const { return at(n).ngrams; }
  std::span<const float> log_probs(int n) const { return at(n).log_probs; }
  std::span<float> backoffs(int n) { return orders_[static_cast<size_t>(n - 1)].backoffs; }

 private:
  enum class Part { kBeforeData, kCounts, kNgrams, kAfterEnd };
  struct Order {
    int64_t promised = 0;
    int64_t n_read = 0;
    std::vector<Ngram> ngrams;  // of unigrams: unused
    std::vector<int32_t> suffixes;
    std::vector<float> log_probs, backoffs;
    std::vector<int32_t> index;  // open addressing over `ngrams`; -1 is free
  };

  void take_line(std::string_view line);
  void take_count(std::string_view line);
  void take_section(std::string_view line);
  void take_ngram(std::string_view line);
  void take_unigram(std::string_view word, float log_prob, float backoff);
  void take_longer(int n, std::span<const std::string_view> words, float log_prob, float backoff);
  void check_complete() const;

  const Order& at(int n) const { return orders_[static_cast<size_t>(n - 1)]; }
  Order& at(int n) { return orders_[static_cast<size_t>(n - 1)]; }
  // The index of an n-gram, or -1.
  int32_t find(int n, Ngram ngram) const;
  void add(int n, Ngram ngram, float log_prob, float backoff);
  static void grow(Order& order);
  // The index of an n-gram, which is added, with all its ends, if it is not there.
  int32_t ensure(int n, Ngram ngram);

  Part part_ = Part::kBeforeData;
  int section_ = 0;
  int64_t line_ = 0;
  WordTable words_;
  std::vector<bool> listed_;  // whether a word had a unigram line
  std::vector<Order> orders_;
};

}  // namespace calque
