#include "align/jumps.h"

#include <algorithm>

namespace calque::align {
namespace {

void add_all(Counts& counts, const std::vector<double>& values) {
  for (size_t i = 0; i < values.size(); ++i) counts.add(i, values[i]);
}

void estimate_weights(std::vector<float>& weights, Counts& counts, Counts& chances,
                      double smoothing) {
  std::vector<double> fresh(weights.size());
  double sum = 0;
  for (size_t i = 0; i < fresh.size(); ++i) {
    fresh[i] = chances[i] > 0 ? counts[i] / chances[i] : 0;
    sum += fresh[i];
  }
  const double uniform = 1.0 / static_cast<double>(fresh.size());
  for (size_t i = 0; i < fresh.size(); ++i) {
    const double weight = sum > 0 ? fresh[i] / sum : uniform;
    // A weight of zero could never recover, and a position with no way out has no distribution.
    weights[i] = static_cast<float>(
        std::max((1 - smoothing) * weight + smoothing * uniform, 1e-9));
  }
  counts.clear();
  chances.clear();
}

}  // namespace

Jumps::Jumps(int32_t width)
    : within_(2 * static_cast<size_t>(width) + 1, 1.0F / static_cast<float>(2 * width + 1)),
      start_(static_cast<size_t>(width) + 1, 1.0F / static_cast<float>(width + 1)) {}

Jumps::Jumps(std::span<const float> within, std::span<const float> start)
    : within_(within.begin(), within.end()), start_(start.begin(), start.end()) {}

JumpSums::JumpSums(int32_t width)
    : within(2 * static_cast<size_t>(width) + 1),
      within_chance(within.size()),
      start(static_cast<size_t>(width) + 1),
      start_chance(start.size()) {}

JumpCounts::JumpCounts(int32_t width)
    : within_(2 * static_cast<size_t>(width) + 1),
      within_chance_(within_.size()),
      start_(static_cast<size_t>(width) + 1),
      start_chance_(start_.size()) {}

void JumpCounts::add(const JumpSums& sums) {
  add_all(within_, sums.within);
  add_all(within_chance_, sums.within_chance);
  add_all(start_, sums.start);
  add_all(start_chance_, sums.start_chance);
}

void JumpCounts::estimate(Jumps& jumps, double smoothing) {
  estimate_weights(jumps.within_, within_, within_chance_, smoothing);
  estimate_weights(jumps.start_, start_, start_chance_, smoothing);
}

std::vector<int64_t> JumpCounts::take() {
  std::vector<int64_t> taken;
  for (Counts* counts : all()) {
    taken.insert(taken.end(), counts->fixed().begin(), counts->fixed().end());
    counts->clear();
  }
  return taken;
}

void JumpCounts::add_fixed(std::span<const int64_t> counts) {
  size_t at = 0;
  for (Counts* own : all()) {
    for (size_t i = 0; i < own->size(); ++i) own->add_fixed(i, counts[at++]);
  }
}

}  // namespace calque::align
