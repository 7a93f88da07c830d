// Lists of n-grams to ARPA text.
#pragma once

#include <cstdint>
#include <string>

#include "lm/build.h"
#include "text/word_table.h"

namespace calque {

// The lines of the n-grams of order n with indices first .. last, as an ARPA file lists them;
// `lists` are all of the model's. The n-grams must be in the model.
std::string arpa_lines(const LanguageModel& model, const NgramLists& lists, const WordTable& words,
                       int n, int64_t first, int64_t last);

}  // namespace calque
