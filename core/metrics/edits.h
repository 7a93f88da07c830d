// Statistics of error rates: edits to the best reference, and its length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/texts.h"
#include "metrics/word_references.h"

namespace calque {

enum class EditKind {
  words,  // insertions, deletions, substitutions; the reference with the lowest rate, then fewest edits
  bag,    // the same where order does not count
  ter,    // and shifts, as tercom finds them; fewest edits, against the mean reference length
};

// The fewest insertions, deletions and substitutions from one sequence to the other.
int64_t levenshtein(std::span<const int32_t> hypothesis, std::span<const int32_t> reference,
                    std::vector<int64_t>& row);

// Oracle: tests/test_metrics_edits.py (a recursion of three lines, sacreBLEU).
class EditReferences {
 public:
  // `lines`: see WordReferences.
  EditReferences(const Texts& lines, size_t n_sets) : references_(lines, n_sets) {}

  size_t n_sentences() const { return references_.n_sentences(); }

  // Per hypothesis: edits, reference length. Columns: 2.
  std::vector<double> statistics(const Texts& hypotheses, std::span<const int64_t> sentences,
                                 EditKind kind, int n_threads) const;

 private:
  WordReferences references_;
};

}  // namespace calque
