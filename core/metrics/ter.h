// Translation edit rate: edit distance with shifts of word sequences (Snover et al. 2006).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace calque {

// Edits between a hypothesis and a reference: a greedy search for shifts, each of which must lower
// the edit distance, with the limits that tercom sets (shifts of up to 10 words over up to 50, 1000
// shifts tried, cells of the distance table within 25 of its diagonal), so that figures equal
// sacreBLEU's. Owns scratch memory; one per thread. Oracle: tests/test_metrics_sacrebleu.py.
class Ter {
 public:
  int64_t n_edits(std::span<const int32_t> hypothesis, std::span<const int32_t> reference);

 private:
  enum class Step : uint8_t { none, keep, substitute, drop, insert };  // hypothesis to reference
  struct Cell {
    int32_t cost;
    Step step;
  };

  // The distance from `words` to the reference, within the beam. Rows of the table stay as long as
  // the words before them are the same as in the last call.
  int32_t distance(std::span<const int32_t> words);
  // Where each reference word lies in the hypothesis, and which words are wrong, from the table.
  void trace(size_t n_words);
  // Tries shifts of `words_`; whether one lowers the distance, which then is in `best_`.
  bool find_shift(size_t& n_tried);
  bool all_right(const std::vector<uint8_t>& wrong, size_t begin, size_t length) const;
  void shift(size_t begin, size_t length, size_t target, std::vector<int32_t>& out) const;

  std::span<const int32_t> reference_;
  std::vector<int32_t> words_, shifted_, best_;
  std::vector<int32_t> row_words_;  // the words behind the rows of the table
  std::vector<Cell> table_;
  std::vector<int32_t> position_;  // per reference word; -1: before the hypothesis
  std::vector<uint8_t> word_wrong_, reference_wrong_;
  std::vector<Step> steps_;
};

}  // namespace calque
