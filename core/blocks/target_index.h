// Finds the target phrases of a block table, whose own index is that of its source phrases.
#pragma once

#include <vector>

#include "blocks/block_table.h"

namespace calque {

// The table's arrays must outlive it. Memory: 16 to 32 bytes per target phrase.
class TargetIndex {
 public:
  explicit TargetIndex(const BlockTable& table)
      : slots_(2 * static_cast<size_t>(
                       n_slots(static_cast<int64_t>(table.target_offsets.size()) - 1))),
        index_{table.target_words, table.target_offsets, slots_} {
    index_sources(table.target_words, table.target_offsets, slots_);
  }
  TargetIndex(const TargetIndex&) = delete;
  TargetIndex& operator=(const TargetIndex&) = delete;

  // The target phrase with these words, or -1.
  int64_t find(std::span<const int32_t> words) const {
    uint64_t hash = kEmptyPhraseHash;
    for (const int32_t word : words) hash = extend_hash(hash, word);
    return find(words, hash);
  }
  int64_t find(std::span<const int32_t> words, uint64_t hash) const {
    return index_.find(words, hash);
  }
  size_t size() const { return index_.offsets.size() - 1; }

 private:
  std::vector<int32_t> slots_;
  PhraseIndex index_;
};

}  // namespace calque
