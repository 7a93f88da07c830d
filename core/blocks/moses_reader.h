// Moses's text tables, parsed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blocks/moses_rules.h"
#include "blocks/pair_map.h"
#include "blocks/phrase_set.h"
#include "text/word_table.h"

namespace calque {

// What is wrong with a line, counted from 1; an empty message: nothing.
struct LineProblem {
  int64_t line = 0;
  std::string message;
};

// The arrays of a block table that text can hold; see block_table.h.
struct MosesArrays {
  std::vector<int32_t> source_words, source_counts;
  std::vector<int64_t> source_offsets, block_offsets;
  std::vector<int32_t> target_words, target_counts, target_phrase, joint_counts;
  std::vector<int64_t> target_offsets;
  std::vector<float> scores, orientation;
  std::vector<uint8_t> links;
  std::vector<int64_t> link_offsets;
};

// Reads a phrase table, then perhaps a reordering table, each in blocks of complete lines. Words
// join `source` and `target` in order of appearance. After a problem the reader is of no more use.
//
// A phrase table line is `source ||| target ||| p(s|t) lex(s|t) p(t|s) lex(t|s) [||| links
// [||| N(t) N(s) N(s,t) [||| nothing [||| ignored]]]]`; probabilities must be above 0. All lines
// have counts or none has; N(s) and N(t) are taken from the first line of their phrase.
// A reordering table line is `source ||| target ||| six probabilities`; both tables must hold the
// same phrase pairs, in any order. Oracle: tests/test_blocks_moses.py.
//
// With gaps the phrase table is a table of rules (moses_rules.h), whose links say which gap of the
// target side is which of the source side. Oracle: tests/test_blocks_moses_rules.py.
class MosesReader {
 public:
  MosesReader(WordTable source, WordTable target, bool with_gaps)
      : source_table_(std::move(source)), target_table_(std::move(target)), with_gaps_(with_gaps) {}

  LineProblem add_phrases(std::string_view text);
  LineProblem add_orientations(std::string_view text);
  // The line of the phrase table whose pair the reordering table lacks, or 0.
  int64_t line_without_orientation() const;
  MosesArrays finish() const;

  const WordTable& source_table() const { return source_table_; }
  const WordTable& target_table() const { return target_table_; }

 private:
  using Tokens = std::vector<std::string_view>;
  template <typename Parse>
  LineProblem each_line(std::string_view text, int64_t& n_lines, Parse parse);
  std::string parse_phrases();
  std::string parse_orientations();
  std::string parse_points(const Tokens& points, size_t n_source, size_t n_target);
  std::vector<int32_t> to_ids(const Tokens& tokens, WordTable& words) const;
  std::string parse_counts(const Tokens& counts, int64_t source, int64_t target);

  WordTable source_table_, target_table_;
  bool with_gaps_;
  PhraseSet sources_, targets_;
  std::vector<Tokens> fields_;             // of the line at hand
  std::vector<int32_t> source_, target_;  // ids of the line at hand
  std::vector<Point> points_;             // and its links
  int64_t n_phrase_lines_ = 0, n_orientation_lines_ = 0;
  // Per line of the phrase table, which is a block.
  std::vector<int32_t> line_source_, line_target_, joint_counts_;
  std::vector<std::array<float, 4>> scores_;
  std::vector<std::array<float, 6>> orientation_;  // empty until the reordering table comes
  std::vector<Point> links_;
  std::vector<int64_t> link_offsets_{0};
  std::vector<int32_t> source_counts_, target_counts_;
  PairMap line_of_pair_;  // counted from 1
};

}  // namespace calque
