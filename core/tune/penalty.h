// The penalty on squared weights in an objective, and gradients that know of it.
#pragma once

#include <cstdint>
#include <span>

namespace calque {

// The squares of the penalised weights, added up; threads change no bit.
// Oracle: tests/test_tune_expected_bleu.py.
double penalised_squares(std::span<const double> weights, std::span<const uint8_t> penalised,
                         int threads);

// Makes the gradient of factor * f - l2 * (squares of penalised weights) out of that of f; it is 0
// where weights do not move.
struct PenalisedGradient {
  double factor, l2;
  std::span<const uint8_t> moving, penalised;

  // Changes the gradient in place. Same oracle.
  void finish(std::span<double> gradient, std::span<const double> weights, int threads) const;
};

}  // namespace calque
