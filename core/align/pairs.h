// Which source words stand beside which target words in a bitext.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace calque::align {

// A view of two sides with the same number of sentences; sentence i of a side is
// ids[offsets[i] .. offsets[i + 1]).
struct Bitext {
  std::span<const int32_t> source, target;
  std::span<const int64_t> source_offsets, target_offsets;

  size_t size() const { return source_offsets.size() - 1; }
  std::span<const int32_t> source_sentence(size_t i) const {
    return source.subspan(source_offsets[i], source_offsets[i + 1] - source_offsets[i]);
  }
  std::span<const int32_t> target_sentence(size_t i) const {
    return target.subspan(target_offsets[i], target_offsets[i + 1] - target_offsets[i]);
  }
};

// The distinct (source word, target word) pairs that share a sentence pair, numbered by source and
// then by target word, and for every cell of every sentence pair the number of its word pair, so
// that EM never searches. Both directions of alignment share the numbering. Memory: 4 bytes per
// distinct pair and 4 per cell (source length times target length, summed over sentence pairs).
//
// A sentence pair with an empty side, or with more than `max_words` words on a side, has no cells.
class PairTable {
 public:
  // What a table is made of; it takes a while to find.
  struct Arrays {
    std::span<const int64_t> rows;
    std::span<const int32_t> targets;
    std::span<const uint32_t> cells;
  };

  PairTable(const Bitext& bitext, int32_t max_words, int n_threads);
  // A table from the arrays of another one of the same bitext and `max_words`, which must outlive it.
  // Throws Error where they are not those of such a table.
  PairTable(const Bitext& bitext, int32_t max_words, const Arrays& arrays);
  PairTable(const PairTable&) = delete;  // it may refer to its own vectors

  const Arrays& arrays() const { return arrays_; }
  size_t size() const { return arrays_.targets.size(); }
  int32_t n_sources() const { return static_cast<int32_t>(arrays_.rows.size()) - 1; }
  int32_t n_targets() const { return n_targets_; }
  bool has_cells(size_t sentence) const { return cells_at_[sentence] < cells_at_[sentence + 1]; }

  // Where the cells of a sentence pair begin, in a numbering of all cells.
  size_t first_cell(size_t sentence) const { return static_cast<size_t>(cells_at_[sentence]); }
  size_t n_cells() const { return arrays_.cells.size(); }

  // The pairs of source word s are rows()[s] .. rows()[s + 1], their target words targets().
  std::span<const int64_t> rows() const { return arrays_.rows; }
  std::span<const int32_t> targets() const { return arrays_.targets; }
  // Number of the pair of source word `source`, which stands at position i, with the target word
  // at position j: row(sentence, i, n_target_words)[j] + rows()[source].
  const uint32_t* row(size_t sentence, size_t i, size_t n_target_words) const {
    return arrays_.cells.data() + cells_at_[sentence] + i * n_target_words;
  }
  // The pairs of another table, of some of the sentences, as numbered here: they rise. Throws Error
  // where that has others.
  std::vector<int64_t> numbers_of(std::span<const int64_t> rows,
                                  std::span<const int32_t> targets) const;

 private:
  int32_t n_targets_ = 0;
  std::vector<int64_t> cells_at_;
  std::vector<int64_t> rows_;     // from here on empty where the arrays are those of another table
  std::vector<int32_t> targets_;
  std::vector<uint32_t> cells_;  // rank within the row of the source word: 4 bytes at any size
  Arrays arrays_;
};

}  // namespace calque::align
