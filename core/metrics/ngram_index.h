// The n-grams of many small groups of sequences, with their counts, ready for matching.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "flat_map.h"
#include "hash.h"

namespace calque {

// A group is what a hypothesis is matched against: all references of a sentence, or one. An n-gram
// counts as often as in the sequence of the group that has it most often. Each group is a trie whose
// edges lie in a small hash table of their own, so matching touches little memory and no two n-grams
// are ever confused. Oracle: tests/test_metrics_sacrebleu.py (collections.Counter by way of
// sacreBLEU).
class NgramIndex {
 public:
  explicit NgramIndex(int order) : order_(order) {}

  int order() const { return order_; }
  size_t n_nodes() const { return counts_.size(); }

  void add_group(std::span<const std::span<const int32_t>> sequences);

  // Calls visit(n, node, counts) for each (n + 1)-gram of `sequence` that the group has, where
  // `counts` says whether it occurred in `sequence` no more often so far than in the group. Nodes
  // are dense over all groups. `seen` is scratch memory.
  template <typename Visit>
  void for_matches(size_t group, std::span<const int32_t> sequence, std::vector<int32_t>& seen,
                   Visit visit) const {
    const size_t first = nodes_[group];
    seen.assign(nodes_[group + 1] - first, 0);
    for (size_t begin = 0; begin < sequence.size(); ++begin) {
      // A longer n-gram is in the group only if its beginning is: the first miss ends a position.
      uint32_t at = 0;
      const size_t n_symbols = std::min(sequence.size() - begin, static_cast<size_t>(order_));
      for (size_t n = 0; n < n_symbols; ++n) {
        at = child(group, at, sequence[begin + n]);
        if (at == 0) break;
        visit(n, first + at - 1, ++seen[at - 1] <= counts_[first + at - 1]);
      }
    }
  }

 private:
  struct Slot {
    uint64_t key = KeyMap<uint32_t>::kNone;
    uint32_t node = 0;
  };

  static uint64_t key(uint32_t parent, int32_t symbol) {
    return static_cast<uint64_t>(parent) << 32 | static_cast<uint32_t>(symbol);
  }

  // The child of the node, or 0. Nodes of a group are numbered from 1; 0 is its root.
  uint32_t child(size_t group, uint32_t parent, int32_t symbol) const {
    const uint64_t wanted = key(parent, symbol);
    const Slot* const slots = slots_.data() + slot_begins_[group];
    const size_t mask = slot_begins_[group + 1] - slot_begins_[group] - 1;
    for (size_t i = mix(wanted) & mask;; i = (i + 1) & mask) {
      if (slots[i].key == wanted) return slots[i].node;
      if (slots[i].node == 0) return 0;
    }
  }

  int order_;
  std::vector<int32_t> counts_;  // by node
  std::vector<size_t> nodes_{0};
  std::vector<Slot> slots_;  // per group a power of two of them, at most half in use
  std::vector<size_t> slot_begins_{0};
  KeyMap<uint32_t> growing_;  // of the group that is being added
};

// The number of n-grams of a sequence of so many symbols, n counted from 0.
inline int64_t n_ngrams(size_t n_symbols, size_t n) {
  return n_symbols > n ? static_cast<int64_t>(n_symbols - n) : 0;
}

}  // namespace calque
