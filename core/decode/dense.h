// The dense features of a standard phrase-based system, in one fixed order.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace calque {

// Values are natural-log probabilities or counts; scores are maximised.
enum DenseFeature : size_t {
  kTranslation = 0,  // 4: log p(s|t), lexical (s|t), log p(t|s), lexical (t|s)
  kLanguageModel = 4,
  kWordCount = 5,
  kBlockCount = 6,
  kDistance = 7,    // minus the words jumped over
  kReordering = 8,  // 6: previous monotone, swap, discontinuous; next likewise
  kUnknown = 14,    // minus the number of words copied because no block knows them
  kNumDense = 15,
};

using DenseVector = std::array<double, kNumDense>;

inline constexpr std::array<std::string_view, kNumDense> kDenseNames = {
    "source_given_target", "lexical_source_given_target", "target_given_source",
    "lexical_target_given_source", "language_model", "word_count", "block_count", "distance",
    "previous_monotone", "previous_swap", "previous_discontinuous", "next_monotone", "next_swap",
    "next_discontinuous", "unknown"};

inline double dot(const DenseVector& a, const DenseVector& b) {
  double sum = 0;
  for (size_t i = 0; i < kNumDense; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace calque
