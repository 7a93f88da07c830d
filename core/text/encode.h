// Text to word ids.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/word_table.h"

namespace calque {

// Sentence i is ids[offsets[i] .. offsets[i + 1]).
struct Sentences {
  std::vector<int32_t> ids;
  std::vector<int64_t> offsets{0};
};

// The sentences of `text`: words are separated by runs of spaces, sentences end with '\n' (a last
// line without one counts). Words absent from `words` become `unknown`. One pass, no allocation per
// word. Oracle: tests/test_text_encode.py (str.split).
Sentences encode(std::string_view text, const WordTable& words, int32_t unknown);

// The same, but absent words are added to `words`.
Sentences encode_growing(std::string_view text, WordTable& words);

}  // namespace calque
