// Statistics of BLEU and NIST: n-grams that a hypothesis shares with its references.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/ngram_index.h"
#include "metrics/texts.h"
#include "metrics/word_references.h"

namespace calque {

// Which length a hypothesis is held against where there are several references.
enum class ReferenceLength {
  closest,   // to the hypothesis; of two equally close ones the shorter
  shortest,
  average,
};

struct BleuOptions {
  ReferenceLength length;
  bool clip;  // count an n-gram no more often than one reference has it
};

// References with their n-grams counted, for any number of hypotheses: about a microsecond each.
// Oracle: tests/test_metrics_sacrebleu.py, tests/test_metrics_nist.py (nltk).
class NgramReferences {
 public:
  // `lines`: see WordReferences.
  NgramReferences(const Texts& lines, size_t n_sets, int order);

  size_t n_sentences() const { return references_.n_sentences(); }

  // Per hypothesis: its length, the reference length, matches of each order, n-grams of each order.
  // Hypothesis i belongs to sentences[i]. Columns: 2 + 2 * order.
  std::vector<double> bleu(const Texts& hypotheses, std::span<const int64_t> sentences,
                           const BleuOptions& options, int n_threads) const;

  // Per hypothesis: information of the matches of each order, n-grams of each order, its length,
  // the mean reference length. Columns: 2 + 2 * order.
  std::vector<double> nist(const Texts& hypotheses, std::span<const int64_t> sentences,
                           int n_threads) const;
  // To be called once before `nist`: how much each n-gram of the references tells, in bits.
  void weigh();

 private:
  double reference_length(size_t sentence, size_t n_words, ReferenceLength rule) const;

  WordReferences references_;
  NgramIndex index_;
  std::vector<double> information_;  // by node of the index
};

}  // namespace calque
