// How weights move in a direction: update rules for the online kernel. The readable forms are those
// of src/calque/tune/updates.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <variant>

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

}  // namespace calque
