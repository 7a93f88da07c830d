// The n-best lists of many sentences as flat arrays: what tuning takes by the hundred thousand.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/derivation.h"
#include "decode/source_text.h"
#include "decode/sparse_features.h"
#include "parallel.h"

namespace calque {

// Candidates of sentence s are offsets[s] .. offsets[s + 1); all else is by candidate.
struct DecodedLists {
  std::vector<int64_t> offsets{0};
  std::vector<double> scores;
  std::vector<double> features;          // rows of dense features
  std::vector<int64_t> word_offsets{0};  // words of candidate i: words[word_offsets[i] ..)
  std::vector<int32_t> words;            // target ids; -1 - i: the text of source word i
};

// Oracle: tests/test_decode_lists.py (the same derivations, one by one).
DecodedLists flatten(const std::vector<Decoded>& decoded);

// The rows of all blocks that derivations of a sentence use, rising, each once.
std::vector<int32_t> used_blocks(const Decoded& decoded);

// Sparse vectors, one after the other: row i is offsets[i] .. offsets[i + 1).
struct SparseRows {
  std::vector<int64_t> offsets{0};
  SparseVector all;

  void add(const SparseVector& row) {
    all.keys.insert(all.keys.end(), row.keys.begin(), row.keys.end());
    all.counts.insert(all.counts.end(), row.counts.begin(), row.counts.end());
    offsets.push_back(static_cast<int64_t>(all.keys.size()));
  }
};

// The sparse features of lists of derivations, a list per sentence: `derivations(at)` gives list `at`,
// `extract(sentence, steps)` the features of one derivation, or throws Error where it is of another
// model or sentence. Results do not depend on n_threads.
template <typename Derivations, typename Extract>
SparseRows extract_sparse_rows(const SourceText& source, int n_threads, Derivations derivations,
                               Extract extract) {
  std::vector<std::vector<SparseVector>> found(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    return [&](size_t at, size_t) {
      for (const Derivation& derivation : derivations(at)) {
        found[at].push_back(extract(source.sentence(at), derivation.steps));
      }
    };
  });
  SparseRows rows;
  for (const auto& list : found) {
    for (const SparseVector& row : list) rows.add(row);
  }
  return rows;
}

}  // namespace calque
