#include "tune/gradient_updates.h"

#include <algorithm>

#include "parallel.h"

namespace calque {

namespace {

constexpr size_t kAtOnce = size_t{1} << 16;

// Calls each(i) for every weight, on threads.
template <typename Each>
void for_weights(size_t n, int threads, Each each) {
  for_chunks(n, kAtOnce, threads, [&] {
    return [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) each(i);
    };
  });
}

}  // namespace

void gradient_step(const GradientUpdate& update, std::span<const double> gradient, size_t n_dense,
                   std::span<double> weights, int threads) {
  std::visit(
      [&](const auto& rule) {
        for_weights(weights.size(), threads, [&](size_t i) {
          if (gradient[i] != 0) weights[i] = rule.moved(i, i < n_dense, weights[i], gradient[i]);
        });
      },
      update);
}

void rprop_step(const RpropStep& rule, std::span<const double> gradient, const RpropMemory& memory,
                std::span<double> weights, int threads) {
  const auto least = static_cast<float>(rule.least), most = static_cast<float>(rule.most);
  for_weights(weights.size(), threads, [&](size_t i) {
    const int sign = (gradient[i] > 0) - (gradient[i] < 0);
    // Signs, not gradients: the product of two small ones may vanish.
    const int agreement = sign * memory.signs[i];
    float& step = memory.steps[i];
    if (agreement < 0) {
      step = std::max(static_cast<float>(rule.decrease * step), least);
      std::swap(weights[i], memory.before[i]);
      memory.signs[i] = rule.as_printed ? static_cast<int8_t>(sign) : int8_t{0};
      return;
    }
    if (agreement > 0) step = std::min(static_cast<float>(rule.increase * step), most);
    memory.before[i] = weights[i];
    weights[i] += sign * static_cast<double>(step);
    memory.signs[i] = static_cast<int8_t>(sign);
  });
}

}  // namespace calque
