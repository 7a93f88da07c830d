// A word-aligned corpus as the kernels of this folder see it: views, nothing owned.
#pragma once

#include <cstdint>
#include <span>

namespace calque {

// One sentence pair. Links are (source position, target position), flat, sorted, distinct.
struct SentencePair {
  std::span<const int32_t> source;
  std::span<const int32_t> target;
  std::span<const int32_t> links;
  int64_t source_begin;  // where its words begin in the corpus
  int64_t target_begin;
};

// Row i of every array of offsets delimits sentence pair i; link offsets count links. There may be
// several sets of links: row s * size() + i delimits those of pair i in set s.
struct AlignedCorpus {
  std::span<const int32_t> source;
  std::span<const int64_t> source_offsets;
  std::span<const int32_t> target;
  std::span<const int64_t> target_offsets;
  std::span<const int32_t> links;
  std::span<const int64_t> link_offsets;

  int64_t size() const { return static_cast<int64_t>(source_offsets.size()) - 1; }
  int64_t n_sets() const {
    return size() > 0 ? (static_cast<int64_t>(link_offsets.size()) - 1) / size() : 1;
  }
  // A pair with its links of the first set, or of another.
  SentencePair operator[](int64_t i) const { return pair(i, 0); }
  // One of n_sets() * size() rows: a pair with one of its sets of links.
  SentencePair row(int64_t at) const { return pair(at % size(), at / size()); }
  SentencePair pair(int64_t i, int64_t set) const {
    const auto part = [](std::span<const int32_t> all, std::span<const int64_t> ends, int64_t at,
                         int width) {
      return all.subspan(width * ends[at], width * (ends[at + 1] - ends[at]));
    };
    return {part(source, source_offsets, i, 1), part(target, target_offsets, i, 1),
            part(links, link_offsets, set * size() + i, 2), source_offsets[i], target_offsets[i]};
  }
};

// Throws Error where the sides differ in size, where offsets do not delimit their arrays, where a
// link lies outside its sentence pair, or where links are not sorted and distinct.
void check(const AlignedCorpus& corpus);

}  // namespace calque
