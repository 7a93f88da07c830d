// Block tables as Moses's text.
#pragma once

#include <string>
#include <vector>

#include "blocks/block_table.h"
#include "text/word_table.h"

namespace calque {

// One block in the order of a sorted Moses table.
struct MosesLine {
  int64_t source, block;
};

// All blocks in the order that sorting the lines as bytes (LC_ALL=C) would give them, which is what
// Moses's own binarisers expect. `with_gaps` writes rules (moses_rules.h), here and below.
std::vector<MosesLine> moses_order(const BlockTable& table, const WordTable& source,
                                   const WordTable& target, bool with_gaps);

// The lines of these blocks. Probabilities have as many digits as it takes to read the same float
// log back. Oracle: tests/test_blocks_moses.py (round trip).
std::string moses_phrases(const BlockTable& table, std::span<const MosesLine> lines,
                          const WordTable& source, const WordTable& target, bool with_gaps);
std::string moses_orientations(const BlockTable& table, std::span<const MosesLine> lines,
                               const WordTable& source, const WordTable& target);

}  // namespace calque
