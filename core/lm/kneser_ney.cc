#include "lm/kneser_ney.h"

#include <algorithm>

namespace calque {
namespace {

double discount_of(uint32_t count, const Discounts& discounts) {
  return discounts[std::min<uint32_t>(count, 3)];
}

}  // namespace

std::array<int64_t, 4> counts_of_counts(std::span<const uint32_t> counts) {
  std::array<int64_t, 4> n{};
  for (const uint32_t count : counts) {
    if (count >= 1 && count <= 4) ++n[count - 1];
  }
  return n;
}

void kneser_ney_unigrams(std::span<const uint32_t> counts, const Discounts& discounts,
                         std::span<float> probs) {
  double sum = 0, taken = 0;
  for (const uint32_t count : counts) {
    sum += count;
    taken += discount_of(count, discounts);
  }
  const double share = taken / sum / static_cast<double>(counts.size() - 1);
  for (size_t w = 0; w < counts.size(); ++w) {
    probs[w] = static_cast<float>((counts[w] - discount_of(counts[w], discounts)) / sum + share);
  }
  probs[kStartWord] = 1;
}

void kneser_ney(std::span<const Ngram> ngrams, std::span<const int32_t> suffixes,
                std::span<const uint32_t> counts, const Discounts& discounts,
                std::span<const float> probs_below, std::span<ContextMass> masses,
                std::span<float> probs, std::span<float> backoffs_below) {
  for (size_t i = 0; i < ngrams.size(); ++i) {
    ContextMass& mass = masses[ngrams[i].context];
    mass.sum += counts[i];
    mass.taken += discount_of(counts[i], discounts);
  }
  for (size_t c = 0; c < masses.size(); ++c) {
    const ContextMass& mass = masses[c];
    backoffs_below[c] = mass.sum > 0 ? static_cast<float>(mass.taken / mass.sum) : 1.0f;
  }
  for (size_t i = 0; i < ngrams.size(); ++i) {
    const ContextMass& mass = masses[ngrams[i].context];
    const double seen = (counts[i] - discount_of(counts[i], discounts)) / mass.sum;
    const double weight = mass.taken / mass.sum;
    probs[i] = static_cast<float>(seen + weight * probs_below[suffixes[i]]);
  }
}

}  // namespace calque
