// The translation options of one sentence: every block that matches, scored once before search.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decode/constraints.h"
#include "decode/model.h"
#include "decode/phrase/coverage.h"
#include "decode/word_hash.h"
#include "features/templates.h"

namespace calque {

// What a hypothesis is extended by. A target word w < 0 stands for a copy of source word -1 - w.
struct Option {
  int32_t begin, end;             // half-open source span
  int64_t block;                  // row of the block table; -1 for a copied or required one
  std::span<const int32_t> target;
  float score;                    // weighted features that depend on the block alone
  float lm_estimate;              // weighted language-model score without history
  std::array<float, 3> previous;  // weighted score of each orientation towards the previous block
  std::array<float, 3> next;      // .. towards the next block
  std::array<float, 3> merged_previous, merged_next;  // .. towards merged blocks
  int32_t next_class;             // equal for options with equal `next`s: all that the state needs
  bool required;                  // the user asked for it: no other option touches its span
  bool may_follow_left;           // .. the block before: a step with orientation kSwap may lead to it
  FrequencyChange change;         // of the block's frequencies, where its pair is left out
  uint64_t words, words_factor;   // the hash of the target, and what it multiplies a prefix by

  float estimate() const { return score + lm_estimate; }
  // The same in the orientation towards the block before that suits the option best.
  float estimate_in_order() const { return estimate() + std::ranges::max(previous); }
  // Whether it is more promising than another one; of equal ones, the first row.
  bool scores_better(const Option& other) const {
    return estimate() != other.estimate() ? estimate() > other.estimate() : block < other.block;
  }
  // The hash of the words of a prefix and those of this option.
  uint64_t append_words(uint64_t prefix) const { return prefix * words_factor + words; }
};

// What a search does with options.
struct OptionUse {
  int least_left_count;  // how often a block was seen on the left of another if it may follow there
  bool normalises;       // scores are those of a span's options among themselves
};

// All options of a sentence, those of one span together and the most promising first. Filled by an
// OptionCollector; the arrays of the sentence and of its constraints must outlive the use of it.
class OptionTable {
 public:
  std::span<const Option> span(int begin, int end) const {
    const auto [from, to] = ranges_[index(begin, end)];
    return {options_.data() + from, to - from};
  }
  // Whether some option of a span may follow the block to the right of it.
  bool has_left(int begin, int end) const {
    return std::ranges::any_of(span(begin, end), &Option::may_follow_left);
  }
  std::span<const Option> all() const { return options_; }
  const Option& operator[](int32_t id) const { return options_[static_cast<size_t>(id)]; }
  int32_t id(const Option& option) const {
    return static_cast<int32_t>(&option - options_.data());
  }

  const SentenceView& sentence() const { return sentence_; }
  // What templates look at. Precondition: sparse features have weights.
  const SentenceValues& values() const { return values_; }
  const BlockValues& block_values(int32_t id) const {
    return block_values_[static_cast<size_t>(id)];
  }
  StepView view(int32_t id) const {
    StepView step = view(options_[static_cast<size_t>(id)]);
    step.values = block_values(id);
    return step;
  }
  int size() const { return n_; }
  int max_words() const { return max_words_; }

  // Drops the options that are not wanted, a flag for each; estimates of the future stay as they are.
  // Precondition: no sparse features have weights.
  void keep(std::span<const uint8_t> wanted);

  // What the best options of a gap add up to without history and jumps, each in the orientation that
  // suits it best: an estimate, no bound.
  // Precondition: the gap is no longer than the coverage window, or reaches the sentence end.
  float future(int begin, int end) const {
    if (end == n_) return future_to_end_[static_cast<size_t>(begin)];
    return future_[static_cast<size_t>(begin * Coverage::kWindow + (end - begin))];
  }
  // The same for everything that is not covered.
  float future(const Coverage& coverage) const;

 private:
  friend class OptionCollector;

  void begin(const SentenceView& sentence, int max_words);
  size_t index(int begin, int end) const {
    return static_cast<size_t>(begin * max_words_ + (end - begin - 1));
  }
  // Without the values of whole phrases.
  static StepView view(const Option& option);
  void estimate_future(bool normalises);

  SentenceView sentence_;
  SentenceValues values_;
  int n_ = 0;
  int max_words_ = 0;
  std::vector<Option> options_;
  std::vector<std::pair<size_t, size_t>> ranges_;
  std::vector<BlockValues> block_values_;  // of each option
  std::vector<float> future_;              // row: begin; column: length below the window
  std::vector<float> future_to_end_;
};

}  // namespace calque
