// Alignments as text: one line per sentence pair, links as `source-target`, positions from 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "align/symmetrize.h"

namespace calque::align {

// Links of all sentences, sorted within each and without repetition; sentence i has
// links[offsets[i] .. offsets[i + 1]). `bad_line` is the first line (from 0) that is not an
// alignment of its sentence pair, and `problem` says why; -1 where all are well.
struct ParsedLinks {
  std::vector<Link> links;
  std::vector<int64_t> offsets{0};
  int64_t bad_line = -1;
  std::string problem;
};

// Every line of `text` ends in '\n'; the sides have one sentence per line of it. One pass.
// Oracle: tests/test_align_pharaoh.py.
ParsedLinks parse_pharaoh(std::string_view text, std::span<const int64_t> source_offsets,
                          std::span<const int64_t> target_offsets);

std::string format_pharaoh(std::span<const Link> links, std::span<const int64_t> offsets);

}  // namespace calque::align
