// The translation options of one sentence: every block that matches, scored once before search.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "blocks/block_table.h"
#include "decode/coverage.h"
#include "decode/dense.h"
#include "lm/language_model.h"

namespace calque {

// Orientation of a block with respect to its neighbour in the target, as the reordering model
// counts it.
enum Orientation : int { kMonotone = 0, kSwap = 1, kDiscontinuous = 2 };

// What a hypothesis is extended by. A target word w < 0 stands for a copy of source word -1 - w.
struct Option {
  int32_t begin, end;             // half-open source span
  int64_t block;                  // row of the block table; -1 for a copied unknown word
  std::span<const int32_t> target;
  float score;                    // weighted features that depend on the block alone
  float lm_estimate;              // weighted language-model score without history
  std::array<float, 3> previous;  // weighted score of each orientation towards the previous block
  std::array<float, 3> next;      // .. towards the next block
  int32_t next_class;             // equal for options with equal `next`: all that the state needs

  float estimate() const { return score + lm_estimate; }
};

// What option collection and search need of a loaded model. Views only; the owner is Python.
struct ModelView {
  BlockTable blocks;
  LanguageModel lm;
  std::span<const int32_t> lm_words;  // language-model id of each target id; empty: the same ids

  bool has_orientation() const { return !blocks.orientation.empty(); }
  int32_t lm_word(int32_t target) const {
    if (target < 0) return 0;
    return lm_words.empty() ? target : lm_words[static_cast<size_t>(target)];
  }
};

// All options of a sentence, those of one span together and the most promising first.
class OptionTable {
 public:
  // Collects at most `limit` options per span (0: all). Words that no block covers alone are copied.
  void collect(const ModelView& model, const DenseVector& weights, std::span<const int32_t> source,
               int limit);

  std::span<const Option> span(int begin, int end) const {
    const auto [from, to] = ranges_[index(begin, end)];
    return {options_.data() + from, to - from};
  }
  const Option& operator[](int32_t id) const { return options_[static_cast<size_t>(id)]; }
  int32_t id(const Option& option) const {
    return static_cast<int32_t>(&option - options_.data());
  }

  int size() const { return n_; }
  int max_words() const { return max_words_; }

  // What the best options of a gap add up to without history or reordering: an estimate, no bound.
  // Precondition: the gap is no longer than the coverage window, or reaches the sentence end.
  float future(int begin, int end) const {
    if (end == n_) return future_to_end_[static_cast<size_t>(begin)];
    return future_[static_cast<size_t>(begin * Coverage::kWindow + (end - begin))];
  }
  // The same for everything that is not covered.
  float future(const Coverage& coverage) const;

 private:
  size_t index(int begin, int end) const {
    return static_cast<size_t>(begin * max_words_ + (end - begin - 1));
  }
  void keep_best(size_t from, int limit);
  void add_copy(const ModelView& model, const DenseVector& weights, int position);
  void number_next_classes();
  void estimate_future();

  int n_ = 0;
  int max_words_ = 0;
  std::vector<Option> options_;
  std::vector<std::pair<size_t, size_t>> ranges_;
  std::vector<float> future_;  // row: begin; column: length below the window
  std::vector<float> future_to_end_;
  std::vector<int32_t> copies_;
};

}  // namespace calque
