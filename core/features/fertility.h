// How many source words target phrases stand for.
#pragma once

#include <cstdint>
#include <vector>

#include "blocks/block_table.h"
#include "blocks/corpus.h"

namespace calque {

// N(T, k): how often each target phrase of the table was extracted with a source phrase of k = 1 ..
// max_words words; max_words entries per target phrase. Counted in the corpus that the table was
// extracted from, because the table lacks what was pruned. Does not depend on the number of
// threads. Oracle: tests/test_features_model4.py.
std::vector<int32_t> fertility_counts(const BlockTable& table, const AlignedCorpus& corpus,
                                      int max_words, int n_threads);

}  // namespace calque
