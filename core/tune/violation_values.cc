#include "tune/violation_values.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>

#include "decode/oracle_bleu.h"

namespace calque {
namespace {

// Appends a - b for ascending keys.
void subtract(const SparseVector& a, const SparseVector& b, SparseVector& to) {
  size_t i = 0, j = 0;
  const auto put = [&](uint64_t key, float value) {
    if (value == 0) return;
    to.keys.push_back(key);
    to.counts.push_back(value);
  };
  while (i < a.keys.size() || j < b.keys.size()) {
    if (j == b.keys.size() || (i < a.keys.size() && a.keys[i] < b.keys[j])) {
      put(a.keys[i], a.counts[i]);
      ++i;
    } else if (i == a.keys.size() || b.keys[j] < a.keys[i]) {
      put(b.keys[j], -b.counts[j]);
      ++j;
    } else {
      put(a.keys[i], a.counts[i] - b.counts[j]);
      ++i;
      ++j;
    }
  }
}

// How many n-grams of some words are in the reference, each no more often than there.
OracleBleu::Matches matches(std::span<const int32_t> words, std::span<const int32_t> reference) {
  OracleBleu::Matches found{};
  for (size_t n = 1; n <= found.size(); ++n) {
    std::map<std::vector<int32_t>, int> left;
    for (size_t i = 0; i + n <= reference.size(); ++i) {
      const auto ngram = reference.subspan(i, n);
      ++left[{ngram.begin(), ngram.end()}];
    }
    for (size_t i = 0; i + n <= words.size(); ++i) {
      const auto ngram = words.subspan(i, n);
      const auto at = left.find({ngram.begin(), ngram.end()});
      if (at != left.end() && at->second-- > 0) ++found[n - 1];
    }
  }
  return found;
}

}  // namespace

Violation prefer(const DerivedFeatures& good, const DerivedFeatures& bad, int32_t bin,
                 double margin) {
  Violation update;
  update.bin = bin;
  update.margin = margin;
  update.dense = good.dense;
  for (size_t i = 0; i < update.dense.size(); ++i) update.dense[i] -= bad.dense[i];
  subtract(good.sparse, bad.sparse, update.sparse);
  const bool is_equal = update.sparse.keys.empty() &&
                        std::ranges::all_of(update.dense, [](double value) { return value == 0; });
  return is_equal ? Violation{} : update;
}

size_t closest(std::span<const std::vector<int32_t>> translations,
               std::span<const int32_t> reference) {
  size_t most_words = reference.size();
  for (const auto& words : translations) most_words = std::max(most_words, words.size());
  const OracleBleu bleu(std::array{static_cast<int>(reference.size())}, true,
                        static_cast<int>(most_words));
  size_t best = 0;
  double highest = -1;
  for (size_t at = 0; at < translations.size(); ++at) {
    const auto& words = translations[at];
    const double value = bleu(matches(words, reference), static_cast<int>(words.size()), 1);
    if (value <= highest) continue;
    highest = value;
    best = at;
  }
  return best;
}

std::vector<size_t> longest_first(const GoldView& lattices, std::span<const int64_t> chosen) {
  std::vector<size_t> order(chosen.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](size_t i) {
    return lattices.n_source[static_cast<size_t>(chosen[i])];
  });
  return order;
}

}  // namespace calque
