#include "features/tag_line.h"

#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace calque {
namespace {

void match_plainly(std::span<const TagQuery> queries, std::span<TagMatches> matches) {
  for (size_t i = 0; i < queries.size(); ++i) {
    const auto [line, tag, difference] = queries[i];
    const auto other = static_cast<uint16_t>(tag ^ difference);
    matches[i] = {line->equal(tag) | line->mark(), line->equal(other) | line->mark()};
  }
}

// Each way repeats the loop: a function compiled for a newer processor is not inlined into another.
#ifdef __x86_64__
[[gnu::target("avx2")]] void match_avx2(std::span<const TagQuery> queries,
                                        std::span<TagMatches> matches) {
  for (size_t i = 0; i < queries.size(); ++i) {
    const auto [line, tag, difference] = queries[i];
    const auto* const lanes = reinterpret_cast<const __m256i*>(line);
    const __m256i low = _mm256_load_si256(lanes), high = _mm256_load_si256(lanes + 1);
    const __m256i one = _mm256_set1_epi16(static_cast<short>(tag));
    const __m256i other = _mm256_set1_epi16(static_cast<short>(tag ^ difference));
    // Packing goes by halves, so the second and third quarter change places.
    const __m256i ones = _mm256_permute4x64_epi64(
        _mm256_packs_epi16(_mm256_cmpeq_epi16(low, one), _mm256_cmpeq_epi16(high, one)), 0xd8);
    const __m256i others = _mm256_permute4x64_epi64(
        _mm256_packs_epi16(_mm256_cmpeq_epi16(low, other), _mm256_cmpeq_epi16(high, other)), 0xd8);
    matches[i] = {
        (static_cast<uint32_t>(_mm256_movemask_epi8(ones)) & TagLine::kAll) | line->mark(),
        (static_cast<uint32_t>(_mm256_movemask_epi8(others)) & TagLine::kAll) | line->mark()};
  }
}

[[gnu::target("avx512f,avx512bw")]] void match_avx512(std::span<const TagQuery> queries,
                                                      std::span<TagMatches> matches) {
  for (size_t i = 0; i < queries.size(); ++i) {
    const auto [line, tag, difference] = queries[i];
    const __m512i all = _mm512_load_si512(line);
    const __m512i one = _mm512_set1_epi16(static_cast<short>(tag));
    const __m512i other = _mm512_set1_epi16(static_cast<short>(tag ^ difference));
    matches[i] = {(_mm512_cmpeq_epi16_mask(all, one) & TagLine::kAll) | line->mark(),
                  (_mm512_cmpeq_epi16_mask(all, other) & TagLine::kAll) | line->mark()};
  }
}
#endif

std::vector<TagMatcher> find_matchers() {
  std::vector<TagMatcher> found{{"plain", match_plainly}};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) found.push_back({"avx2", match_avx2});
  if (__builtin_cpu_supports("avx512bw")) found.push_back({"avx512", match_avx512});
#endif
  return found;
}

}  // namespace

std::span<const TagMatcher> tag_matchers() {
  static const std::vector<TagMatcher> found = find_matchers();
  return found;
}

}  // namespace calque
