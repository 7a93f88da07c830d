// How weights move in a direction: update rules for the online kernel. The readable forms are those
// of src/calque/tune/updates.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace calque {

// A rule is told of every update (`begin`, with the loss and the squared length of the direction),
// then asked for the change of each weight that the direction has a part in.

// Steps of constant rate.
struct SgdUpdate {
  double dense_rate, sparse_rate;

  void begin(double, double) {}
  double change(size_t, bool is_dense, double value) const {
    return (is_dense ? dense_rate : sparse_rate) * value;
  }
};

// Steps that shrink, feature by feature, with what it has moved before (Duchi et al. 2011).
struct AdaGradUpdate {
  double dense_rate, sparse_rate;
  std::span<double> squares = {};

  void begin(double, double) {}
  double change(size_t feature, bool is_dense, double value) const {
    squares[feature] += value * value;
    return (is_dense ? dense_rate : sparse_rate) * value / std::sqrt(squares[feature]);
  }
};

// The smallest step that mends the loss, up to a limit (Crammer et al. 2006).
struct PassiveAggressiveUpdate {
  double most;
  double step = 0;

  void begin(double loss, double length) { step = length > 0 ? std::min(most, loss / length) : 0; }
  double change(size_t, bool, double value) const { return step * value; }
};

using OnlineUpdate = std::variant<SgdUpdate, AdaGradUpdate, PassiveAggressiveUpdate>;

// Moves the sparse weights of some columns, each of which is there once, in a direction of these
// values: what a step changes after `n_steps` others is too much by that in the sum over all steps
// (`lag`). Gives the weights of the columns after it. Results do not depend on n_threads.
// Oracle: tests/test_tune_online.py (numpy).
std::vector<float> move_columns(const OnlineUpdate& update, std::span<const int32_t> columns,
                                std::span<const double> values, double n_steps,
                                std::span<double> weights, std::span<double> lag, int n_threads);

}  // namespace calque
