#include "decode/consensus.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "flat_map.h"
#include "parallel.h"

namespace calque {
namespace {

constexpr size_t kOrder = 4;
constexpr size_t kBits = 64;

// Compares the candidates of one list after the other, in memory that is used again.
class ListComparison {
 public:
  explicit ListComparison(const CandidateWords& lists) : lists_(lists) {}

  // Adds the expectations of the candidates of list `at` to `expected`.
  void add(size_t at, std::span<const double> probabilities, std::span<double> expected) {
    first_ = static_cast<size_t>(lists_.offsets[at]);
    n_ = static_cast<size_t>(lists_.offsets[at + 1]) - first_;
    take_apart();
    for (size_t i = 0; i < n_; ++i) {
      for (size_t j = i; j < n_; ++j) {
        const double matches = product_of_matches(i, j);
        expected[first_ + i] += probabilities[first_ + j] * bleu(matches, i, j);
        if (j != i) expected[first_ + j] += probabilities[first_ + i] * bleu(matches, j, i);
      }
    }
  }

 private:
  struct Ngram {
    uint32_t bit;        // of its first occurrence in a candidate
    uint32_t candidate;  // that has it, the last one so far
    uint32_t count;      // in that candidate
  };
  struct Occurrence {
    uint32_t candidate, n, bit;
  };

  std::span<const int32_t> words(size_t i) const {
    const auto begin = static_cast<size_t>(lists_.word_offsets[first_ + i]);
    const auto end = static_cast<size_t>(lists_.word_offsets[first_ + i + 1]);
    return lists_.words.subspan(begin, end - begin);
  }

  // Makes a candidate a set of bits, order by order. The k-th occurrence of an n-gram has a bit of
  // its own: two candidates share as many as the smaller of their counts.
  void take_apart() {
    places_.clear();
    repeats_.clear();
    ngrams_.clear();
    occurrences_.clear();
    n_bits_.fill(0);
    lengths_.resize(n_);
    products_.resize(n_);
    for (size_t i = 0; i < n_; ++i) {
      const auto length = static_cast<double>(words(i).size());
      lengths_[i] = products_[i] = length;
      for (size_t n = 1; n < kOrder; ++n) {
        products_[i] *= std::max(length - static_cast<double>(n), 0.0) + 1.0;
      }
      list_occurrences(static_cast<uint32_t>(i));
    }
    begins_[0] = 0;
    for (size_t n = 0; n < kOrder; ++n) begins_[n + 1] = begins_[n] + (n_bits_[n] + kBits - 1) / kBits;
    bits_.assign(n_ * begins_[kOrder], 0);
    for (const auto& [candidate, n, bit] : occurrences_) {
      bits_[candidate * begins_[kOrder] + begins_[n] + bit / kBits] |= 1ULL << bit % kBits;
    }
  }

  void list_occurrences(uint32_t candidate) {
    const std::span<const int32_t> sequence = words(candidate);
    for (size_t begin = 0; begin < sequence.size(); ++begin) {
      uint32_t at = 0;  // of the n-gram so far: one more than its place in ngrams_
      for (uint32_t n = 0; n < std::min(kOrder, sequence.size() - begin); ++n) {
        at = place(at, sequence[begin + n], n);
        Ngram& ngram = ngrams_[at - 1];
        if (ngram.candidate != candidate) ngram.count = 0;
        ngram.candidate = candidate;
        ++ngram.count;
        const uint32_t bit = ngram.count == 1 ? ngram.bit : repeated(at, ngram.count, n);
        occurrences_.push_back({candidate, n, bit});
      }
    }
  }

  uint32_t place(uint32_t beginning, int32_t word, uint32_t n) {
    const uint64_t key = static_cast<uint64_t>(beginning) << 32 | static_cast<uint32_t>(word);
    if (const uint32_t* known = places_.find(key)) return *known;
    ngrams_.push_back({n_bits_[n]++, 0, 0});
    const auto at = static_cast<uint32_t>(ngrams_.size());
    places_.insert(key, at);
    return at;
  }

  uint32_t repeated(uint32_t at, uint32_t count, uint32_t n) {
    const uint64_t key = static_cast<uint64_t>(at) << 32 | count;
    if (const uint32_t* known = repeats_.find(key)) return *known;
    const uint32_t bit = n_bits_[n]++;
    repeats_.insert(key, bit);
    return bit;
  }

  // The product over all orders of the n-grams that two candidates share, smoothed.
  double product_of_matches(size_t i, size_t j) const {
    const uint64_t* const left = bits_.data() + i * begins_[kOrder];
    const uint64_t* const right = bits_.data() + j * begins_[kOrder];
    double product = 1.0;
    for (size_t n = 0; n < kOrder; ++n) {
      int matches = n > 0 ? 1 : 0;
      for (size_t k = begins_[n]; k < begins_[n + 1]; ++k) matches += std::popcount(left[k] & right[k]);
      product *= matches;
    }
    return product;
  }

  // Of candidate i with candidate j as the reference.
  double bleu(double matches, size_t i, size_t j) const {
    if (matches == 0.0) return 0.0;
    const double mean = std::sqrt(std::sqrt(matches / products_[i]));
    if (lengths_[i] >= lengths_[j]) return mean;
    return mean * std::exp(1.0 - lengths_[j] / lengths_[i]);
  }

  const CandidateWords& lists_;
  size_t first_ = 0, n_ = 0;
  KeyMap<uint32_t> places_;   // of n-grams, by the place of their beginning and the last word
  KeyMap<uint32_t> repeats_;  // bits, by the place of the n-gram and the number of the occurrence
  std::vector<Ngram> ngrams_;
  std::vector<Occurrence> occurrences_;
  std::array<uint32_t, kOrder> n_bits_{};
  std::array<size_t, kOrder + 1> begins_{};  // in words of 64 bits
  std::vector<uint64_t> bits_;               // candidate after candidate
  std::vector<double> lengths_, products_;   // words; n-grams of all orders, smoothed
};

}  // namespace

std::vector<double> expected_bleu(const CandidateWords& lists, std::span<const double> probabilities,
                                  int n_threads) {
  std::vector<double> expected(probabilities.size(), 0.0);
  for_chunks(lists.offsets.size() - 1, 1, n_threads, [&] {
    return [&, comparison = ListComparison(lists)](size_t at, size_t) mutable {
      comparison.add(at, probabilities, expected);
    };
  });
  return expected;
}

}  // namespace calque
