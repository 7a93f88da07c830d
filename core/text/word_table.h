// Words and their ids: an open-addressing hash table over one arena of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hash.h"

namespace calque {

// Ids are dense and given in order of first addition, starting at 0. Strings live back to back in
// one arena, so a table of a million words is four allocations. Oracle: tests/test_text_encode.py.
class WordTable {
 public:
  WordTable();

  // The id of `word`, or -1.
  int32_t find(std::string_view word) const { return find(word, hash_bytes(word)); }
  // The id of `word`, which is added if it is new. Throws Error beyond 2^31 - 1 words.
  int32_t add(std::string_view word) { return add(word, hash_bytes(word)); }

  // The same for callers that have the word's hash_bytes already; `prefetch` well before either
  // hides the wait for memory.
  int32_t find(std::string_view word, uint64_t hash) const { return slots_[slot_of(word, hash)].id; }
  int32_t add(std::string_view word, uint64_t hash);
  void prefetch(uint64_t hash) const {
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }

  int32_t size() const { return static_cast<int32_t>(offsets_.size()) - 1; }
  // Precondition: 0 <= id < size().
  std::string_view word(int32_t id) const {
    return {arena_.data() + offsets_[id], static_cast<size_t>(offsets_[id + 1] - offsets_[id])};
  }

 private:
  // Where `word` is, or the free slot where it belongs.
  size_t slot_of(std::string_view word, uint64_t hash) const;
  void grow();

  struct Slot {
    int32_t id = -1;
    uint32_t tag = 0;  // upper half of the hash: most misses end here, without touching the arena
  };
  std::string arena_;
  std::vector<int64_t> offsets_;
  std::vector<Slot> slots_;
};

}  // namespace calque
