// Statistics of chrF and chrF++: character and word n-grams shared with the best reference.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/ngram_index.h"
#include "metrics/texts.h"
#include "text/word_table.h"

namespace calque {

struct ChrfOptions {
  int char_order;
  int word_order;  // 2 is chrF++
  double beta;     // recall weighs beta times as much as precision
};

// Oracle: tests/test_metrics_sacrebleu.py.
class ChrfReferences {
 public:
  // `lines`: see WordReferences.
  ChrfReferences(const Texts& lines, size_t n_sets, const ChrfOptions& options);

  size_t n_sentences() const { return (n_characters_.size()) / n_sets_; }
  size_t n_columns() const {
    return 3 * static_cast<size_t>(options_.char_order + options_.word_order);
  }

  // Per hypothesis, for each order of characters and then of words: its n-grams, those of the
  // reference, the shared ones; against the reference that gives the highest score.
  std::vector<double> statistics(const Texts& hypotheses, std::span<const int64_t> sentences,
                                 int n_threads) const;

 private:
  void fill(size_t group, std::span<const int32_t> characters, std::span<const int32_t> words,
            std::vector<int32_t>& seen, std::span<double> row) const;
  double f_score(std::span<const double> row) const;

  size_t n_sets_;
  ChrfOptions options_;
  WordTable words_;
  NgramIndex character_index_;  // one group per reference, as in `lines`
  NgramIndex word_index_;
  std::vector<size_t> n_characters_;
  std::vector<size_t> n_words_;
};

}  // namespace calque
