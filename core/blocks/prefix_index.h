// A trie over the source sides of rules: every prefix of them, found symbol by symbol.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "blocks/gaps.h"

namespace calque {

// The arrays of the trie. Node 0 is the root; nodes stand level by level, the children of a node
// together and sorted by symbol, those of earlier nodes first.
struct PrefixArrays {
  std::vector<int32_t> symbols;      // that lead to each node; of the root: -1
  std::vector<int32_t> first_child;  // children of node i: first_child[i] .. first_child[i + 1]
  std::vector<int32_t> phrases;      // that end at each node; -1: none does
};

// Builds the trie of phrases that are sorted by (length, symbols); phrase i is
// words[offsets[i] .. offsets[i + 1]), and none is empty. Throws Error where they are not in order.
// Oracle: tests/test_blocks_prefixes.py (dictionaries).
PrefixArrays index_prefixes(std::span<const int32_t> words, std::span<const int64_t> offsets);

// A view of the trie. Cheap to copy.
struct PrefixIndex {
  std::span<const int32_t> symbols, first_child, phrases;

  static constexpr int32_t kRoot = 0, kNone = -1;

  bool is_leaf(int32_t node) const {
    return first_child[static_cast<size_t>(node)] == first_child[static_cast<size_t>(node) + 1];
  }
  int32_t phrase(int32_t node) const { return phrases[static_cast<size_t>(node)]; }

  // The child that a word leads to, or kNone.
  int32_t child(int32_t node, int32_t symbol) const {
    const auto begin = static_cast<size_t>(first_child[static_cast<size_t>(node)]);
    const auto end = static_cast<size_t>(first_child[static_cast<size_t>(node) + 1]);
    const auto first = symbols.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = symbols.begin() + static_cast<std::ptrdiff_t>(end);
    const auto found = std::lower_bound(first, last, symbol);
    return found != last && *found == symbol ? static_cast<int32_t>(found - symbols.begin()) : kNone;
  }
  // The child that the next gap leads to, or kNone: gaps are numbered from left to right, and no
  // word but an unknown one has a smaller id.
  int32_t gap_child(int32_t node) const {
    const int32_t end = first_child[static_cast<size_t>(node) + 1];
    for (int32_t at = first_child[static_cast<size_t>(node)];
         at < end && symbols[static_cast<size_t>(at)] <= kSecondGap; ++at) {
      if (is_gap(symbols[static_cast<size_t>(at)])) return at;
    }
    return kNone;
  }
};

}  // namespace calque
