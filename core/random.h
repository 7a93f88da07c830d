// Random numbers that are the same on every machine, in streams that are told apart by a key.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "hash.h"

namespace calque {

// SplitMix64. Streams of different keys are independent, so work may be shared out between threads
// in any way where each piece has a stream of its own.
class Random {
 public:
  explicit Random(std::initializer_list<uint64_t> key) {
    for (const uint64_t part : key) state_ = mix(state_ + kStep + part);
  }

  uint64_t bits() { return mix(state_ += kStep); }
  // At least 0 and below 1.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  // From the normal distribution of mean 0 and variance 1, by polar coordinates.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  // From the gamma distribution of this shape (above 0) and scale 1; Marsaglia and Tsang (2000).
  double gamma(double shape) {
    if (shape < 1) return gamma(shape + 1) * std::pow(1 - uniform(), 1 / shape);
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    while (true) {
      const double x = normal();
      const double root = 1 + c * x;
      if (root <= 0) continue;
      const double v = root * root * root;
      if (std::log(1 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  uint64_t state_ = 0;
};

}  // namespace calque
