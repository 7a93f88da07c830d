#include "tune/penalty.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "parallel.h"

namespace calque {

namespace {

constexpr size_t kAtOnce = size_t{1} << 16;

}  // namespace

double penalised_squares(std::span<const double> weights, std::span<const uint8_t> penalised,
                         int threads) {
  std::vector<double> sums((weights.size() + kAtOnce - 1) / kAtOnce);
  for_chunks(weights.size(), kAtOnce, threads, [&] {
    return [&](size_t begin, size_t end) {
      double& sum = sums[begin / kAtOnce];
      for (size_t i = begin; i < end; ++i) sum += penalised[i] ? weights[i] * weights[i] : 0;
    };
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void PenalisedGradient::finish(std::span<double> gradient, std::span<const double> weights,
                               int threads) const {
  for_chunks(gradient.size(), kAtOnce, threads, [&] {
    return [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const double penalty = penalised[i] ? 2 * l2 * weights[i] : 0;
        gradient[i] = moving[i] ? factor * gradient[i] - penalty : 0;
      }
    };
  });
}

}  // namespace calque
