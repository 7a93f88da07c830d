// The block table as search sees it: a view over arrays that Python has mapped; nothing is owned.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hash.h"

namespace calque {

// The hash of a phrase, word by word: a longer phrase continues the hash of its prefix.
inline constexpr uint64_t kEmptyPhraseHash = 0x9e3779b97f4a7c15ULL;
inline uint64_t extend_hash(uint64_t prefix, int32_t word) {
  return mix(prefix ^ (static_cast<uint64_t>(static_cast<uint32_t>(word)) + 1));
}

// Phrases (phrase i is words[offsets[i] .. offsets[i + 1])) and the hash index over them.
struct PhraseIndex {
  std::span<const int32_t> words;
  std::span<const int64_t> offsets;
  std::span<const int32_t> slots;  // 2: phrase or -1, lower half of its hash

  // The phrase with these words, or -1. The hash comes with them: growing a span word by word
  // hashes each word once.
  int64_t find(std::span<const int32_t> wanted, uint64_t hash) const {
    const size_t mask = slots.size() / 2 - 1;
    for (size_t at = (hash >> 32) & mask;; at = (at + 1) & mask) {
      const int32_t i = slots[2 * at];
      if (i < 0) return -1;
      if (slots[2 * at + 1] != static_cast<int32_t>(hash)) continue;
      const auto found = words.subspan(offsets[i], offsets[i + 1] - offsets[i]);
      if (std::equal(found.begin(), found.end(), wanted.begin(), wanted.end())) return i;
    }
  }
};

struct BlockRange {
  int64_t begin, end;
};

// Source phrase i is source_words[source_offsets[i] .. source_offsets[i + 1]) and its blocks are
// block_offsets[i] .. block_offsets[i + 1], best first (sum of the four scores). Source phrases are
// sorted by (length, word ids), target phrases likewise. Rows of fixed width are flat. Arrays of
// counts are empty where a table read from Moses has none, `orientation` where it came without a
// reordering table. Oracle: tests/test_blocks_table.py.
struct BlockTable {
  std::span<const int32_t> source_words;
  std::span<const int64_t> source_offsets;
  std::span<const int32_t> source_counts;  // all occurrences in extracted blocks, pruned ones too
  std::span<const int64_t> block_offsets;
  std::span<const int32_t> target_words;
  std::span<const int64_t> target_offsets;
  std::span<const int32_t> target_counts;
  std::span<const int32_t> target_phrase;       // from here on per block
  std::span<const int32_t> joint_counts;        // 0: made for a word without extracted blocks
  std::span<const float> scores;                // 4: ln p(s|t), ln lex(s|t), ln p(t|s), ln lex(t|s)
  std::span<const float> orientation;           // 6: ln p, previous mono, swap, disc; next likewise
  std::span<const uint8_t> links;               // 2: source and target position inside the block
  std::span<const int64_t> link_offsets;        // per block, counted in links
  std::span<const int32_t> slots;               // 2: source phrase or -1, lower half of its hash
  int max_source_words;                         // length of the longest source phrase

  int64_t n_sources() const { return static_cast<int64_t>(source_offsets.size()) - 1; }
  int64_t n_blocks() const { return static_cast<int64_t>(target_phrase.size()); }

  std::span<const int32_t> source(int64_t i) const {
    return source_words.subspan(source_offsets[i], source_offsets[i + 1] - source_offsets[i]);
  }
  BlockRange blocks(int64_t i) const { return {block_offsets[i], block_offsets[i + 1]}; }
  std::span<const int32_t> target(int64_t block) const {
    const int32_t i = target_phrase[block];
    return target_words.subspan(target_offsets[i], target_offsets[i + 1] - target_offsets[i]);
  }
  std::span<const uint8_t> inner_links(int64_t block) const {
    const int64_t begin = link_offsets[block], end = link_offsets[block + 1];
    return links.subspan(2 * begin, 2 * (end - begin));
  }

  // The source phrase with these words, or -1.
  int64_t find(std::span<const int32_t> words) const {
    uint64_t hash = kEmptyPhraseHash;
    for (const int32_t word : words) hash = extend_hash(hash, word);
    return find(words, hash);
  }
  int64_t find(std::span<const int32_t> words, uint64_t hash) const {
    return PhraseIndex{source_words, source_offsets, slots}.find(words, hash);
  }
};

// The hash index has this many slots: a power of two, at most half of them used. Throws Error
// beyond 2^31 - 1 phrases.
int64_t n_slots(int64_t n_sources);

// Fills the hash index (open addressing, linear probing) of these source phrases; `slots` has two
// entries per slot.
void index_sources(std::span<const int32_t> words, std::span<const int64_t> offsets,
                   std::span<int32_t> slots);

}  // namespace calque
