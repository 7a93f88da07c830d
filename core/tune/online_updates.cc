#include "tune/online_updates.h"

#include "parallel.h"

namespace calque {
namespace {

constexpr size_t kAtOnce = 4096;  // columns of a thread
constexpr size_t kAhead = 16;     // columns whose values are on their way

}  // namespace

std::vector<float> move_columns(const OnlineUpdate& update, std::span<const int32_t> columns,
                                std::span<const double> values, double n_steps,
                                std::span<double> weights, std::span<double> lag, int n_threads) {
  std::vector<float> moved(columns.size());
  const auto move = [&](const auto& rule, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (i + kAhead < end) {
        const auto ahead = static_cast<size_t>(columns[i + kAhead]);
        __builtin_prefetch(&weights[ahead], 1);
        __builtin_prefetch(&lag[ahead], 1);
      }
      const auto column = static_cast<size_t>(columns[i]);
      const double change = rule.change(column, false, values[i]);
      weights[column] += change;
      lag[column] += n_steps * change;
      moved[i] = static_cast<float>(weights[column]);
    }
  };
  std::visit(
      [&](const auto& rule) {
        for_chunks(columns.size(), kAtOnce, n_threads, [&] {
          return [&](size_t begin, size_t end) { move(rule, begin, end); };
        });
      },
      update);
  return moved;
}

}  // namespace calque
