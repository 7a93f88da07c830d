// Blocks that match a sentence, drawn at random: something to be better than, before any search.
#pragma once

#include <cstdint>

#include "decode/decoded_lists.h"
#include "decode/leave_one_out.h"
#include "decode/phrase/decoder.h"
#include "decode/sparse_features.h"

namespace calque {

// One bag per sentence.
struct Bags {
  SparseRows features;
  std::vector<int64_t> word_offsets{0};  // words of bag i: words[word_offsets[i] ..)
  std::vector<int32_t> words;            // of all targets, by where they begin, then end
};

// For every source span that blocks match one of them, whatever its scores, and a copy of each word
// that no block covers alone (Tillmann & Zhang 2008). Spans overlap, so this is no translation: the
// features are those that a block and its place in the sentence decide. Sentence i of the source is
// sentence `first` + i of its text; what is drawn for a span follows from that number, the span and
// the seed alone. Throws Error where a template looks beyond the block. Oracle:
// tests/test_decode_bags.py (every span in Python).
Bags draw_bags(const ModelView& model, const SourceText& source, uint64_t seed, uint64_t first,
               const LeaveOneOut* leave_one_out, int n_threads);

}  // namespace calque
