// How weights move along a gradient that has a value for each of them. The readable forms are those
// of src/calque/tune/updates.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace calque {

// What is taken from the size of a weight after a step, not beyond 0 (FOBOS).
inline double shrunk(double weight, double by) {
  const double size = std::abs(weight) - by;
  return size <= 0 ? 0 : std::copysign(size, weight);
}

// A rule gives the weight after a step; dense and sparse weights have rates of their own. The penalty
// `l1` on absolute values is for sparse weights.

struct SgdStep {
  double dense_rate, sparse_rate, l1;

  double moved(size_t, bool is_dense, double weight, double gradient) const {
    if (is_dense) return weight + dense_rate * gradient;
    return shrunk(weight + sparse_rate * gradient, sparse_rate * l1);
  }
};

// Rates shrink, weight by weight, with all gradients up to now (Duchi et al. 2011).
struct AdaGradStep {
  static constexpr double kLeast = 1e-10;  // of what a rate is divided by
  double dense_rate, sparse_rate, l1;
  std::span<double> squares = {};

  double moved(size_t feature, bool is_dense, double weight, double gradient) const {
    squares[feature] += gradient * gradient;
    const double rate =
        (is_dense ? dense_rate : sparse_rate) / (std::sqrt(squares[feature]) + kLeast);
    const double after = weight + rate * gradient;
    return is_dense ? after : shrunk(after, rate * l1);
  }
};

using GradientUpdate = std::variant<SgdStep, AdaGradStep>;

// Moves every weight that has a gradient; the others stay.
void gradient_step(const GradientUpdate& update, std::span<const double> gradient, size_t n_dense,
                   std::span<double> weights, int threads);

// Steps by the signs of gradients (Riedmiller & Braun 1993): longer while the sign stays, shorter
// where it turns, and back to where the weight was before.
struct RpropStep {
  double increase, decrease, least, most;
  bool as_printed;  // remember the gradient of a step that was taken back
};

// What RPROP remembers of every weight.
struct RpropMemory {
  std::span<double> before;   // the weight before the last step
  std::span<float> steps;     // how far the next one goes
  std::span<int8_t> signs;    // of the last gradient
};

// Oracle: tests/test_tune_gradient_updates.py.
void rprop_step(const RpropStep& rule, std::span<const double> gradient, const RpropMemory& memory,
                std::span<double> weights, int threads);

}  // namespace calque
