#include "tune/mask_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace calque {
namespace {

constexpr size_t kLanes = 8;  // candidates of a byte
using Lanes = std::array<double, kLanes>;

// For each byte, what keeps the numbers of its candidates and makes the others 0.
constexpr auto kKept = [] {
  std::array<std::array<uint64_t, kLanes>, 256> kept{};
  for (size_t byte = 0; byte < kept.size(); ++byte) {
    for (size_t lane = 0; lane < kLanes; ++lane) kept[byte][lane] = -(byte >> lane & 1);
  }
  return kept;
}();

double kept(double number, uint64_t bits) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(number) & bits);
}

// A sum that begins at 0 is never -0: adding 0 for the candidates that a mask leaves out changes no
// bit.
void plain_by_candidate(const Masks& masks, const double* numbers, double* sums) {
  for (size_t byte = 0; byte < masks.n_bytes; ++byte) {
    Lanes lanes;
    std::copy_n(sums + kLanes * byte, kLanes, lanes.begin());
    for (size_t m = 0; m < masks.n; ++m) {
      const auto& bits = kKept[masks.bits[m * masks.n_bytes + byte]];
      for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += kept(numbers[m], bits[lane]);
    }
    std::ranges::copy(lanes, sums + kLanes * byte);
  }
}

void plain_by_mask(const Masks& masks, const double* numbers, double* sums) {
  for (size_t m = 0; m < masks.n; ++m) {
    Lanes lanes{};
    for (size_t byte = 0; byte < masks.n_bytes; ++byte) {
      const auto& bits = kKept[masks.bits[m * masks.n_bytes + byte]];
      for (size_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] += kept(numbers[kLanes * byte + lane], bits[lane]);
      }
    }
    for (size_t half = kLanes / 2; half > 0; half /= 2) {
      for (size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    }
    sums[m] = lanes[0];
  }
}

#ifdef __x86_64__
// The sums of eight lanes by halves from those of their lower and upper half.
double by_halves(__m128d first, __m128d second) {
  const __m128d two = _mm_add_pd(first, second);
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

[[gnu::target("avx2")]] __m256d kept_avx2(__m256d numbers, const uint64_t* bits) {
  return _mm256_and_pd(numbers, _mm256_loadu_pd(reinterpret_cast<const double*>(bits)));
}

[[gnu::target("avx2")]] void avx2_by_candidate(const Masks& masks, const double* numbers,
                                               double* sums) {
  for (size_t byte = 0; byte < masks.n_bytes; ++byte) {
    double* const own = sums + kLanes * byte;
    __m256d low = _mm256_loadu_pd(own), high = _mm256_loadu_pd(own + 4);
    for (size_t m = 0; m < masks.n; ++m) {
      const uint64_t* const bits = kKept[masks.bits[m * masks.n_bytes + byte]].data();
      const __m256d number = _mm256_set1_pd(numbers[m]);
      low = _mm256_add_pd(low, kept_avx2(number, bits));
      high = _mm256_add_pd(high, kept_avx2(number, bits + 4));
    }
    _mm256_storeu_pd(own, low);
    _mm256_storeu_pd(own + 4, high);
  }
}

[[gnu::target("avx2")]] void avx2_by_mask(const Masks& masks, const double* numbers, double* sums) {
  for (size_t m = 0; m < masks.n; ++m) {
    __m256d low = _mm256_setzero_pd(), high = _mm256_setzero_pd();
    for (size_t byte = 0; byte < masks.n_bytes; ++byte) {
      const uint64_t* const bits = kKept[masks.bits[m * masks.n_bytes + byte]].data();
      const double* const own = numbers + kLanes * byte;
      low = _mm256_add_pd(low, kept_avx2(_mm256_loadu_pd(own), bits));
      high = _mm256_add_pd(high, kept_avx2(_mm256_loadu_pd(own + 4), bits + 4));
    }
    const __m256d four = _mm256_add_pd(low, high);
    sums[m] = by_halves(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  }
}

constexpr size_t kMostBytes = 16;  // whose numbers stay in registers

// The sums of some bytes of all masks.
template <size_t n>
[[gnu::target("avx512f,avx512dq")]] void avx512_bytes(const Masks& masks, size_t first,
                                                      const double* numbers, double* sums) {
  __m512d own[n];
  for (size_t i = 0; i < n; ++i) own[i] = _mm512_loadu_pd(sums + kLanes * (first + i));
  const uint8_t* bits = masks.bits + first;
  for (size_t m = 0; m < masks.n; ++m, bits += masks.n_bytes) {
    const __m512d number = _mm512_set1_pd(numbers[m]);
    for (size_t i = 0; i < n; ++i) own[i] = _mm512_mask_add_pd(own[i], bits[i], own[i], number);
  }
  for (size_t i = 0; i < n; ++i) _mm512_storeu_pd(sums + kLanes * (first + i), own[i]);
}

template <size_t... n>
constexpr auto bytes_kernels(std::index_sequence<n...>) {
  return std::array{avx512_bytes<n + 1>...};
}

void avx512_by_candidate(const Masks& masks, const double* numbers, double* sums) {
  static constexpr auto kKernels = bytes_kernels(std::make_index_sequence<kMostBytes>());
  for (size_t first = 0; first < masks.n_bytes; first += kMostBytes) {
    kKernels[std::min(kMostBytes, masks.n_bytes - first) - 1](masks, first, numbers, sums);
  }
}

[[gnu::target("avx512f,avx512dq")]] void avx512_by_mask(const Masks& masks, const double* numbers,
                                                        double* sums) {
  const uint8_t* bits = masks.bits;
  for (size_t m = 0; m < masks.n; ++m, bits += masks.n_bytes) {
    __m512d lanes = _mm512_setzero_pd();
    for (size_t byte = 0; byte < masks.n_bytes; ++byte) {
      const __m512d own = _mm512_loadu_pd(numbers + kLanes * byte);
      lanes = _mm512_mask_add_pd(lanes, bits[byte], lanes, own);
    }
    const __m256d four =
        _mm256_add_pd(_mm512_castpd512_pd256(lanes), _mm512_extractf64x4_pd(lanes, 1));
    sums[m] = by_halves(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  }
}
#endif

std::vector<MaskSums> find_ways() {
  std::vector<MaskSums> found{{"plain", plain_by_candidate, plain_by_mask}};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) found.push_back({"avx2", avx2_by_candidate, avx2_by_mask});
  if (__builtin_cpu_supports("avx512dq")) {
    found.push_back({"avx512", avx512_by_candidate, avx512_by_mask});
  }
#endif
  return found;
}

}  // namespace

std::span<const MaskSums> mask_sums() {
  static const std::vector<MaskSums> found = find_ways();
  return found;
}

}  // namespace calque
