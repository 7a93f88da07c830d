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

// Row i of every array of offsets delimits sentence pair i; link offsets count links.
struct AlignedCorpus {
  std::span<const int32_t> source;
  std::span<const int64_t> source_offsets;
  std::span<const int32_t> target;
  std::span<const int64_t> target_offsets;
  std::span<const int32_t> links;
  std::span<const int64_t> link_offsets;

  int64_t size() const { return static_cast<int64_t>(source_offsets.size()) - 1; }
  SentencePair operator[](int64_t i) const {
    const auto part = [i](std::span<const int32_t> all, std::span<const int64_t> ends, int width) {
      return all.subspan(width * ends[i], width * (ends[i + 1] - ends[i]));
    };
    return {part(source, source_offsets, 1), part(target, target_offsets, 1),
            part(links, link_offsets, 2), source_offsets[i], target_offsets[i]};
  }
};

// Throws Error where the sides differ in size, where offsets do not delimit their arrays, where a
// link lies outside its sentence pair, or where links are not sorted and distinct.
void check(const AlignedCorpus& corpus);

}  // namespace calque
