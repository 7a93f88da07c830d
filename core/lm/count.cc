#include "lm/count.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "error.h"
#include "hash.h"
#include "interrupt.h"

namespace calque {
namespace {

uint64_t hash_of(Ngram ngram) {
  return mix(static_cast<uint64_t>(static_cast<uint32_t>(ngram.context)) << 32 |
             static_cast<uint32_t>(ngram.word));
}

int pass_of(uint64_t hash, int passes) {
  return static_cast<int>((hash >> 32) * static_cast<uint64_t>(passes) >> 32);
}

// N-grams to dense numbers in order of addition, up to `capacity` of them.
class NgramIndex {
 public:
  explicit NgramIndex(int32_t capacity) : slots_(1 << 12), capacity_(capacity) {}

  // The number of the n-gram, or -1 if it is new and there is no room for it.
  int32_t add(Ngram ngram, uint64_t hash) {
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at].id >= 0) {
      if (slots_[at].ngram.word == ngram.word && slots_[at].ngram.context == ngram.context) {
        return slots_[at].id;
      }
      at = (at + 1) & (slots_.size() - 1);
    }
    if (size_ == capacity_) return -1;
    slots_[at] = {ngram, size_};
    if (static_cast<size_t>(++size_) * 3 > slots_.size() * 2) grow();
    return size_ - 1;
  }
  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
  int32_t size() const { return size_; }

 private:
  struct Slot {
    Ngram ngram{};
    int32_t id = -1;
  };

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.id < 0) continue;
      size_t at = hash_of(slot.ngram) & (slots_.size() - 1);
      while (slots_[at].id >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  int32_t capacity_;
  int32_t size_ = 0;
};

constexpr size_t kAtOnce = 1 << 14;  // between two questions whether the call should end

// One n-gram, or several of the same, where it stands in the text.
struct Occurrence {
  Ngram ngram;
  int32_t suffix;  // the n-gram without its first word
  uint32_t count;  // what it adds to an adjusted count
};

// The n-grams that end at the tokens of a text.
struct InText {
  int n;
  bool highest;
  std::span<const int32_t> tokens, below;

  // Calls visit(i, occurrence) for every token that ends an n-gram.
  template <typename Visit>
  void for_each(Visit visit) const {
    int64_t depth = 0;  // counts from the sentence start
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i % kAtOnce == 0) end_if_interrupted();
      depth = tokens[i] == kStartWord ? 0 : depth + 1;
      if (depth < n - 1) continue;
      const bool counts = highest || depth == n - 1;
      visit(i, Occurrence{ngram(i), below[i], counts ? 1u : 0u});
    }
  }
  size_t size() const { return tokens.size(); }
  Ngram ngram(size_t i) const { return {below[i - 1], tokens[i]}; }
};

// Those of counted parts.
struct InParts {
  CountedParts parts;

  template <typename Visit>
  void for_each(Visit visit) const {
    for (size_t i = 0; i < size(); ++i) {
      if (i % kAtOnce == 0) end_if_interrupted();
      visit(i, Occurrence{ngram(i), parts.suffixes[i], parts.counts[i]});
    }
  }
  size_t size() const { return parts.ngrams.size(); }
  Ngram ngram(size_t i) const { return parts.ngrams[i]; }
};

[[noreturn]] void refuse(int n, int64_t capacity) {
  throw Error("more than " + std::to_string(capacity) + " distinct n-grams of order " +
              std::to_string(n));
}

// Numbers, in `nodes`, the n-grams whose hash belongs to `pass`; returns how many there are.
template <typename Occurrences>
int32_t number_ngrams(int n, const Occurrences& occurrences, std::span<int32_t> nodes,
                      int32_t capacity, int pass, int passes) {
  constexpr size_t kAhead = 24;
  NgramIndex index(capacity);
  occurrences.for_each([&](size_t i, const Occurrence& at) {
    if (i + kAhead < occurrences.size()) index.prefetch(hash_of(occurrences.ngram(i + kAhead)));
    const uint64_t hash = hash_of(at.ngram);
    if (pass_of(hash, passes) != pass) return;
    nodes[i] = index.add(at.ngram, hash);
    if (nodes[i] < 0) refuse(n, capacity);
  });
  return index.size();
}

template <typename Occurrences>
int64_t count(int n, const Occurrences& occurrences, std::span<int32_t> nodes,
              std::span<uint32_t> counts_below, const NgramCounts& out, int passes,
              std::span<int32_t> renumbering) {
  const auto capacity = static_cast<int32_t>(
      std::min<size_t>(out.ngrams.size(), std::numeric_limits<int32_t>::max()));
  std::vector<int64_t> first(static_cast<size_t>(passes) + 1);  // the first number of each pass
  for (int pass = 0; pass < passes; ++pass) {
    const auto p = static_cast<size_t>(pass);
    first[p + 1] = first[p] + number_ngrams(n, occurrences, nodes, capacity, pass, passes);
  }
  if (first.back() > capacity) refuse(n, capacity);

  int32_t size = 0;
  occurrences.for_each([&](size_t i, const Occurrence& at) {
    int32_t node = nodes[i];
    if (passes > 1) {  // from numbers within a pass to numbers by first occurrence, less 1
      const auto pass = static_cast<size_t>(pass_of(hash_of(at.ngram), passes));
      int32_t& renumbered = renumbering[static_cast<size_t>(first[pass] + node)];
      if (renumbered == 0) renumbered = size + 1;
      nodes[i] = node = renumbered - 1;
    }
    if (node == size) {
      ++size;
      out.ngrams[node] = at.ngram;
      out.suffixes[node] = at.suffix;
      ++counts_below[at.suffix];
    }
    out.counts[node] += at.count;
  });
  return size;
}

}  // namespace

void mark_sentences(std::span<const int32_t> ids, std::span<const int64_t> offsets,
                    int32_t n_words, std::span<int32_t> tokens) {
  size_t at = 0;
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    tokens[at++] = kStartWord;
    for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      const int32_t id = ids[i];
      if (id < 0 || id >= n_words || id == kStartWord || id == kEndWord) {
        throw Error("sentence " + std::to_string(s + 1) + ": " + std::to_string(id) +
                    " is not the id of a word of the vocabulary");
      }
      tokens[at++] = id;
    }
    tokens[at++] = kEndWord;
  }
}

int64_t count_ngrams(int n, bool highest, std::span<const int32_t> tokens,
                     std::span<const int32_t> below, std::span<int32_t> nodes,
                     std::span<uint32_t> counts_below, const NgramCounts& out, int passes,
                     std::span<int32_t> renumbering) {
  return count(n, InText{n, highest, tokens, below}, nodes, counts_below, out, passes, renumbering);
}

int64_t merge_ngrams(int n, const CountedParts& parts, std::span<int32_t> nodes,
                     std::span<uint32_t> counts_below, const NgramCounts& out, int passes,
                     std::span<int32_t> renumbering) {
  return count(n, InParts{parts}, nodes, counts_below, out, passes, renumbering);
}

}  // namespace calque
