#include "lm/kneser_ney.h"

#include <algorithm>
#include <vector>

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
                std::span<const float> probs_below, std::span<float> probs,
                std::span<float> backoffs_below) {
  struct Context {
    double sum = 0, taken = 0;
  };
  std::vector<Context> contexts(backoffs_below.size());
  for (size_t i = 0; i < ngrams.size(); ++i) {
    Context& context = contexts[ngrams[i].context];
    context.sum += counts[i];
    context.taken += discount_of(counts[i], discounts);
  }
  for (size_t c = 0; c < contexts.size(); ++c) {
    const Context& context = contexts[c];
    backoffs_below[c] = context.sum > 0 ? static_cast<float>(context.taken / context.sum) : 1.0f;
  }
  for (size_t i = 0; i < ngrams.size(); ++i) {
    const Context& context = contexts[ngrams[i].context];
    const double seen = (counts[i] - discount_of(counts[i], discounts)) / context.sum;
    const double weight = context.taken / context.sum;
    probs[i] = static_cast<float>(seen + weight * probs_below[suffixes[i]]);
  }
}

}  // namespace calque
