// Exact, dense ids for all phrases of one side of a corpus.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace calque {

inline constexpr uint32_t kNoPhrase = 0xffffffff;

// The phrases of one to max_words words of a corpus side. Ids rise with (length, word ids), so
// equal ids mean equal words (no hash that could collide) and sorting ids sorts phrases.
struct Phrases {
  std::span<const int32_t> words;      // the corpus side
  std::span<const uint32_t> examples;  // per id, a position where the phrase occurs
  std::span<const int64_t> first_ids;  // phrases of n words: first_ids[n - 1] .. first_ids[n]

  int length(uint32_t id) const {
    const auto at = std::upper_bound(first_ids.begin(), first_ids.end(), static_cast<int64_t>(id));
    return static_cast<int>(at - first_ids.begin());
  }
  std::span<const int32_t> operator[](uint32_t id) const {
    return words.subspan(examples[id], static_cast<size_t>(length(id)));
  }
};

// Throws Error unless the arrays belong together: every phrase lies in the corpus side.
void check(const Phrases& phrases);

// The number of words of each of these phrases. Throws Error for an id that no phrase has.
std::vector<int32_t> lengths(const Phrases& phrases, std::span<const uint32_t> ids);

// Fills `words` with the words of these phrases, one after the other. Throws Error for an id that no
// phrase has, and where `words` is not as long as they are.
void gather(const Phrases& phrases, std::span<const uint32_t> ids, std::span<int32_t> words);

struct NumberedPhrases {
  std::vector<uint32_t> examples;
  std::vector<int64_t> first_ids;
};

// Numbers the phrases. ids[(n - 1) * n_words + p] becomes the id of the n words from position p, or
// kNoPhrase where the sentence ends before. Two counting sorts per length: linear time. Throws
// Error beyond 2^32 - 2 phrases. Oracle: tests/test_blocks_extract.py (sorted sets of tuples).
NumberedPhrases number_phrases(std::span<const int32_t> words, std::span<const int64_t> offsets,
                               int max_words, std::span<uint32_t> ids);

// The same for phrases that already stand in order, each once, one after the other. Throws Error
// where they do not, and beyond 2^32 - 2 words or phrases.
NumberedPhrases numbered_phrases(std::span<const int32_t> words, std::span<const int64_t> offsets);

}  // namespace calque
