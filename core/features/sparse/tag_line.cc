#include "features/sparse/tag_line.h"

#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace calque {
namespace {

// Whether a tag matches is as good as random: no branch tells. The loops below are one, written for
// each kind of processor: what is compiled for one is not inlined into what is compiled for all.
size_t match_plainly(std::span<const TagQuery> queries, TagMatch* matches) {
  TagMatch* to = matches;
  for (uint32_t i = 0; i < queries.size(); ++i) {
    const TagQuery& query = queries[i];
    const uint32_t mark = query.line->mark();
    *to = {i, 0, query.line->equal(query.tag) | mark};
    to += query.wants_tag & (to->slots != 0);
    for (uint32_t j = 0; j < query.n_differences; ++j) {
      const auto tag = static_cast<uint16_t>(query.tag ^ query.differences[j]);
      *to = {i, j + 1, query.line->equal(tag) | mark};
      to += to->slots != 0;
    }
  }
  return static_cast<size_t>(to - matches);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] uint32_t equal_avx2(__m256i low, __m256i high, int tag) {
  const __m256i wanted = _mm256_set1_epi16(static_cast<short>(tag));
  const __m256i both =
      _mm256_packs_epi16(_mm256_cmpeq_epi16(low, wanted), _mm256_cmpeq_epi16(high, wanted));
  // Packing went by halves: the second and third quarter change places.
  return static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_permute4x64_epi64(both, 0xd8))) &
         TagLine::kAll;
}

[[gnu::target("avx2")]] size_t match_avx2(std::span<const TagQuery> queries, TagMatch* matches) {
  TagMatch* to = matches;
  for (uint32_t i = 0; i < queries.size(); ++i) {
    const TagQuery& query = queries[i];
    const auto* const lanes = reinterpret_cast<const __m256i*>(query.line);
    const __m256i low = _mm256_load_si256(lanes), high = _mm256_load_si256(lanes + 1);
    const uint32_t mark = query.line->mark();
    *to = {i, 0, equal_avx2(low, high, query.tag) | mark};
    to += query.wants_tag & (to->slots != 0);
    for (uint32_t j = 0; j < query.n_differences; ++j) {
      *to = {i, j + 1, equal_avx2(low, high, query.tag ^ query.differences[j]) | mark};
      to += to->slots != 0;
    }
  }
  return static_cast<size_t>(to - matches);
}

[[gnu::target("avx512f,avx512bw")]] uint32_t equal_avx512(__m512i tags, int tag) {
  return _mm512_cmpeq_epi16_mask(tags, _mm512_set1_epi16(static_cast<short>(tag))) & TagLine::kAll;
}

[[gnu::target("avx512f,avx512bw")]] size_t match_avx512(std::span<const TagQuery> queries,
                                                        TagMatch* matches) {
  TagMatch* to = matches;
  for (uint32_t i = 0; i < queries.size(); ++i) {
    const TagQuery& query = queries[i];
    const __m512i tags = _mm512_load_si512(query.line);
    const uint32_t mark = query.line->mark();
    *to = {i, 0, equal_avx512(tags, query.tag) | mark};
    to += query.wants_tag & (to->slots != 0);
    for (uint32_t j = 0; j < query.n_differences; ++j) {
      *to = {i, j + 1, equal_avx512(tags, query.tag ^ query.differences[j]) | mark};
      to += to->slots != 0;
    }
  }
  return static_cast<size_t>(to - matches);
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
