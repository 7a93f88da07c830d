// N-best lists of Moses and Joshua, parsed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/word_table.h"

namespace calque {

// Lines of candidates as columns: candidate i translates sentence `sentences[i]`, its text is
// `texts[text_offsets[i] .. text_offsets[i + 1])`, its features are the entries of `columns` and
// `values` from `row_offsets[i]` to `row_offsets[i + 1]`.
struct NBestColumns {
  std::vector<int64_t> sentences;
  std::string texts;
  std::vector<int64_t> text_offsets{0};
  std::vector<int64_t> row_offsets{0};
  std::vector<int32_t> columns;
  std::vector<double> values;
  std::vector<double> totals;  // empty where lines have none
};

// Reads `id ||| words ||| features ||| total`, where features are labels with the values that
// follow (`LM0= -3.2`, `tm: -1 -2`, `lm -3.2`) or pairs in one word (`lm_0=-3.2`). A label of
// several values gives the features label_0, label_1 .., in the order of the text. Further fields
// are left alone; the total may be absent everywhere. Oracle: tests/test_hyps_formats.py.
class NBestReader {
 public:
  // Reads a block of complete lines. Throws Error; `line` is then the number of the bad one.
  void feed(std::string_view block);

  int64_t line() const { return line_; }
  const WordTable& names() const { return names_; }
  const NBestColumns& columns() const { return columns_; }

 private:
  void read_line(std::string_view line);
  void read_features(std::string_view field);
  void add_label(std::string_view label);
  void add_feature(int32_t feature, double value);

  int64_t line_ = 0;
  WordTable names_;
  WordTable label_names_;
  std::vector<std::vector<int32_t>> labels_;  // the features of every label, by position
  std::vector<int64_t> last_line_;            // of every feature: where it was last given
  std::vector<double> pending_;               // values since the last label
  NBestColumns columns_;
};

}  // namespace calque
