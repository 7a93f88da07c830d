// Lists of candidates in which only that is kept in which the candidates of a sentence differ.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tune/masked_values.h"
#include "tune/sparse_lists.h"

namespace calque {

// What learning from comparisons within sentences needs of lists. The candidates of sentence s are
// offsets[s] .. offsets[s + 1]; `base` is what the score of each has from weights that stay. The
// sparse features in which they differ are features[feature_offsets[s]] .. The entries of
// candidate i, from row_offsets[i] to row_offsets[i + 1], are places among those features and by how
// much the candidate has more of them than the usual candidate of its sentence: first those of 1,
// ones[2 i] of them, then those of -1, ones[2 i + 1], then the others. Most are of the first two
// kinds, of which a kernel need not read the values. What is `masked` has no entries.
template <typename Value>
struct DifferenceLists {
  std::span<const int64_t> offsets;
  std::span<const double> base;
  std::span<const double> dense;
  size_t n_dense;
  std::span<const int64_t> feature_offsets;
  std::span<const int32_t> features;
  std::span<const int64_t> row_offsets;
  std::span<const int32_t> places;
  std::span<const Value> values;
  std::span<const int32_t> ones;
  MaskedLists masked;

  std::span<const int32_t> features_of(int64_t sentence) const {
    const auto begin = static_cast<size_t>(feature_offsets[sentence]);
    return features.subspan(begin, static_cast<size_t>(feature_offsets[sentence + 1]) - begin);
  }

  // The masked values of a sentence.
  MaskedValues masked_of(int64_t sentence) const {
    return masked.of(sentence, static_cast<size_t>(offsets[sentence + 1] - offsets[sentence]));
  }

  // The products of the dense features and of the sparse entries of a row with weights: `local` are
  // those of the features of its sentence. Every row is summed on its own: equal rows have equal sums.
  std::pair<double, double> products(int64_t row, std::span<const double> dense_weights,
                                     std::span<const double> local) const {
    const double* own = dense.data() + static_cast<size_t>(row) * n_dense;
    double dense_sum = 0, sparse_sum = 0;
    for (size_t d = 0; d < n_dense; ++d) dense_sum += dense_weights[d] * own[d];
    for (int64_t i = row_offsets[row]; i < row_offsets[row + 1]; ++i) {
      sparse_sum += local[static_cast<size_t>(places[i])] * static_cast<double>(values[i]);
    }
    return {dense_sum, sparse_sum};
  }
};

// How many entries of each row are of 1, and of -1 after these.
template <typename Value>
std::vector<int32_t> count_ones(std::span<const int64_t> row_offsets, std::span<const Value> values);

// The sparse part of such lists, of some sentences.
template <typename Value>
struct Differences {
  std::vector<int64_t> n_features;  // of every sentence
  std::vector<int32_t> features;
  std::vector<int64_t> n_entries;  // of every candidate
  std::vector<int32_t> places;
  std::vector<Value> values;
  std::vector<int64_t> n_masks;       // of every sentence: masks instead of entries
  std::vector<int16_t> mask_values;   // of every mask
  std::vector<int64_t> n_members;     // of every mask: features that have its value
  std::vector<int32_t> members;       // places of these
  std::vector<uint8_t> bits;          // of the masks
  int64_t n_masked = 0;               // entries that masks stand for
};

// How many rows have each column, up to 255.
std::vector<uint8_t> column_counts(std::span<const int32_t> columns, size_t n_columns);

// The differences within the sentences from `first` up to `last`; columns that are not `kept` are
// left out. A feature that all candidates have with the same value cancels and disappears; what more
// than half have is taken from all, so that only the others have an entry. The features of a sentence
// ascend. With `clip`, a feature is there or not, however often. With `masks`, whole values that many
// candidates of a sentence have are masked. The number of threads changes nothing.
// Oracle: tests/test_tune_relevant_set.py, tests/test_tune_masks.py.
template <typename Value, typename Difference>
Differences<Difference> differences(const SparseLists<Value>& lists, int64_t first, int64_t last,
                                    std::span<const uint8_t> kept, bool clip, bool masks,
                                    int threads);

}  // namespace calque
