// In how many sentences each sparse feature occurs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace calque {

// Counts, column by column, the sentences of which any candidate has it, up to 255. Lists come in
// parts of consecutive sentences, none of which is in two parts.
// Oracle: tests/test_tune_landscape.py.
class SentenceCounts {
 public:
  explicit SentenceCounts(size_t n_columns) : counts_(n_columns), last_(n_columns, -1) {}

  // The candidates of sentence s are offsets[s] .. offsets[s + 1], the columns of candidate i from
  // row_offsets[i] to row_offsets[i + 1]. Time is linear in the entries.
  void add(std::span<const int64_t> offsets, std::span<const int64_t> row_offsets,
           std::span<const int32_t> columns);

  const std::vector<uint8_t>& counts() const { return counts_; }

 private:
  std::vector<uint8_t> counts_;
  std::vector<int32_t> last_;  // the last sentence that was seen to have the column
  int32_t n_sentences_ = 0;
};

}  // namespace calque
