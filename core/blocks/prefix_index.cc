#include "blocks/prefix_index.h"

#include <limits>
#include <numeric>

#include "error.h"

namespace calque {
namespace {

// The phrases in lexicographic order: those of one length are in order already.
std::vector<int32_t> lexicographic_order(std::span<const int32_t> words,
                                         std::span<const int64_t> offsets) {
  const size_t n = offsets.size() - 1;
  const auto phrase = [&](int32_t i) {
    const auto at = static_cast<size_t>(i);
    return words.subspan(static_cast<size_t>(offsets[at]),
                         static_cast<size_t>(offsets[at + 1] - offsets[at]));
  };
  const auto before = [&](int32_t a, int32_t b) {
    return std::ranges::lexicographical_compare(phrase(a), phrase(b));
  };
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::vector<size_t> runs{0};  // where a run of ordered phrases begins
  for (size_t i = 1; i < n; ++i) {
    const auto shorter = phrase(static_cast<int32_t>(i - 1)), longer = phrase(static_cast<int32_t>(i));
    if (shorter.size() != longer.size()) {
      if (shorter.size() > longer.size()) throw Error("source phrases are sorted by length");
      runs.push_back(i);
    } else if (!std::ranges::lexicographical_compare(shorter, longer)) {
      throw Error("source phrases are sorted and differ from each other");
    }
  }
  while (runs.size() > 1) {
    std::vector<size_t> merged;
    for (size_t run = 0; run < runs.size(); run += 2) {
      merged.push_back(runs[run]);
      if (run + 1 == runs.size()) break;
      const auto at = [&](size_t i) {
        return order.begin() + static_cast<std::ptrdiff_t>(i < runs.size() ? runs[i] : n);
      };
      std::inplace_merge(at(run), at(run + 1), at(run + 2), before);
    }
    runs = std::move(merged);
  }
  return order;
}

}  // namespace

PrefixArrays index_prefixes(std::span<const int32_t> words, std::span<const int64_t> offsets) {
  const size_t n = offsets.size() - 1;
  if (words.size() >= static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    throw Error("source phrases of more than 2^31 - 2 words in all");
  }
  const std::vector<int32_t> order = lexicographic_order(words, offsets);
  struct Phrase {
    int64_t begin;
    int32_t length, shared;  // words that it has in common with the phrase before
    int32_t node;            // of its prefix on the last level
  };
  std::vector<Phrase> phrases(n);
  int32_t longest = 0;
  for (size_t i = 0; i < n; ++i) {
    const auto at = static_cast<size_t>(order[i]);
    Phrase& phrase = phrases[i];
    phrase = {offsets[at], static_cast<int32_t>(offsets[at + 1] - offsets[at]), 0, 0};
    if (phrase.length == 0) throw Error("a source phrase has no words");
    longest = std::max(longest, phrase.length);
    if (i == 0) continue;
    const Phrase& last = phrases[i - 1];
    const int32_t most = std::min(phrase.length, last.length);
    while (phrase.shared < most &&
           words[static_cast<size_t>(phrase.begin + phrase.shared)] ==
               words[static_cast<size_t>(last.begin + phrase.shared)]) {
      ++phrase.shared;
    }
  }
  PrefixArrays trie{{-1}, {}, {-1}};
  for (int32_t length = 1; length <= longest; ++length) {
    for (size_t i = 0; i < n; ++i) {
      Phrase& phrase = phrases[i];
      if (phrase.length < length) continue;
      if (phrase.shared < length) {
        const auto node = static_cast<int32_t>(trie.symbols.size());
        // Nodes before the parent that have no children end where its children begin.
        trie.first_child.resize(std::max(trie.first_child.size(), static_cast<size_t>(phrase.node) + 1),
                                node);
        trie.symbols.push_back(words[static_cast<size_t>(phrase.begin + length - 1)]);
        trie.phrases.push_back(-1);
      }
      phrase.node = static_cast<int32_t>(trie.symbols.size()) - 1;
      if (phrase.length == length) trie.phrases[static_cast<size_t>(phrase.node)] = order[i];
    }
  }
  trie.first_child.resize(trie.symbols.size() + 1, static_cast<int32_t>(trie.symbols.size()));
  return trie;
}

}  // namespace calque
