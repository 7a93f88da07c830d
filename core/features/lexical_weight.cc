#include "features/lexical_weight.h"

#include <algorithm>
#include <cmath>

#include "parallel.h"

namespace calque {

float WordLexicon::prob(int32_t source, int32_t target) const {
  if (static_cast<size_t>(target) + 1 >= offsets.size()) return 0;
  const auto row = words.subspan(offsets[target], offsets[target + 1] - offsets[target]);
  const auto found = std::lower_bound(row.begin(), row.end(), source);
  if (found == row.end() || *found != source) return 0;
  return probs[offsets[target] + (found - row.begin())];
}

std::vector<float> lexical_weights(const BlockTable& table, const WordLexicon& lexicon,
                                   double floor, int n_threads) {
  std::vector<float> weights(static_cast<size_t>(table.n_blocks()));
  const auto weight = [&](std::span<const int32_t> source, std::span<const int32_t> target) {
    double sum = 0;
    for (const int32_t s : source) {
      double total = 0;
      int n = 0;
      for (const int32_t t : target) {
        const float prob = lexicon.prob(s, t);
        total += prob;
        n += prob > 0;
      }
      sum += std::log(n > 0 ? std::max(floor, total / n) : floor);
    }
    return static_cast<float>(sum);
  };
  for_chunks(static_cast<size_t>(table.n_sources()), 1024, n_threads, [&] {
    return [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const auto source = table.source(static_cast<int64_t>(i));
        const BlockRange blocks = table.blocks(static_cast<int64_t>(i));
        for (int64_t b = blocks.begin; b < blocks.end; ++b) {
          weights[b] = weight(source, table.target(b));
        }
      }
    };
  });
  return weights;
}

}  // namespace calque
