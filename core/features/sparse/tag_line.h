// Sixteen-bit tags, a line of the cache of them at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace calque {

// 31 tags, and room to say something of them all.
struct alignas(64) TagLine {
  static constexpr size_t kTags = 31;
  static constexpr uint32_t kAll = (uint32_t{1} << kTags) - 1;
  static constexpr uint16_t kMark = 0x8000;  // of the state

  std::array<uint16_t, kTags> tags{};
  uint16_t state = 0;

  // The tags that are equal to this one, as bits.
  uint32_t equal(uint16_t tag) const {
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi16(static_cast<short>(tag));
    const auto* lanes = reinterpret_cast<const __m128i*>(this);
    const auto at = [&](int i) { return _mm_cmpeq_epi16(_mm_load_si128(lanes + i), wanted); };
    const int low = _mm_movemask_epi8(_mm_packs_epi16(at(0), at(1)));
    const int high = _mm_movemask_epi8(_mm_packs_epi16(at(2), at(3)));
    return (static_cast<uint32_t>(high) << 16 | static_cast<uint32_t>(low)) & kAll;
#else
    uint32_t bits = 0;
    for (size_t i = 0; i < kTags; ++i) bits |= static_cast<uint32_t>(tags[i] == tag) << i;
    return bits;
#endif
  }
  // The mark of the state as the highest bit.
  uint32_t mark() const { return static_cast<uint32_t>(state & kMark) << 16; }
};
static_assert(sizeof(TagLine) == 64);

// The tags to look for in a line: `tag` itself if `wants_tag`, and `tag` XOR each difference.
struct TagQuery {
  const TagLine* line;
  const uint16_t* differences;
  uint16_t n_differences;
  uint16_t tag;
  bool wants_tag;
};
// A tag that may be in a line.
struct TagMatch {
  uint32_t query;
  uint32_t which;  // 0: the tag itself; i + 1: that of difference i
  uint32_t slots;  // the tags of the line that are equal, as bits, with the mark of the line
};

// Finds the tags of which there is an equal one in their lines, or a mark, in the order of the
// queries; gives how many they are. Precondition: there is room for one more than are wanted.
using MatchTags = size_t (*)(std::span<const TagQuery> queries, TagMatch* matches);
// The ways to do so that this processor has, by name; the last one is the fastest.
struct TagMatcher {
  const char* name;
  MatchTags match;
};
std::span<const TagMatcher> tag_matchers();

}  // namespace calque
