// Which training sentences share words in a row with a test set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace calque {

struct OverlapOptions {
  int32_t max_words;  // longest substring that is looked for
  int64_t times;      // see below; 0: no limit
};

// Flags, one per sentence, of the sentences that contain a substring (1 to max_words words in a
// row) of the test sentences. With times > 0 a sentence is flagged only if one of its test
// substrings occurs in fewer than `times` of the sentences flagged before it, so every test
// substring that occurs in at least `times` sentences occurs in at least that many flagged ones.
//
// Substrings are compared by 64-bit hashes: with a test set of T distinct substrings and a corpus
// with N positions where a test substring could be extended, a false match has a probability of
// about N * T / 2^64, less than one in a million for T = 10^6 and N = 10^7. It would keep or drop
// one sentence pair too many. Time: linear in the words of the test set times max_words and in
// the matched words of the corpus. Oracle: tests/test_text_overlap.py (sets of tuples).
std::vector<uint8_t> find_overlap(std::span<const int32_t> ids, std::span<const int64_t> offsets,
                                  std::span<const int32_t> test_ids,
                                  std::span<const int64_t> test_offsets,
                                  const OverlapOptions& options);

}  // namespace calque
