#include "align/hmm.h"

#include <algorithm>
#include <cmath>

namespace calque::align {
namespace {

// Forward values below this vanish beside the others and would only slow the processor down.
constexpr float kNothing = 1e-30F;

// y += a * x
void add_scaled(float a, const float* x, float* y, size_t n) {
  for (size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

}  // namespace

void Hmm::set_transitions(size_t n, const Jumps& jumps) {
  onward_.resize(n * n);
  back_.resize(n * n);
  inverse_sum_.resize(n);
  start_.resize(n);
  const int32_t width = jumps.width();
  for (size_t from = 0; from < n; ++from) {
    float* row = onward_.data() + from * n;
    float sum = 0;
    for (size_t to = 0; to < n; ++to) {
      const int32_t distance = static_cast<int32_t>(to) - static_cast<int32_t>(from);
      row[to] = jumps.within()[std::clamp(distance, -width, width) + width];
      sum += row[to];
    }
    inverse_sum_[from] = 1 / sum;
    for (size_t to = 0; to < n; ++to) back_[to * n + from] = row[to] *= inverse_sum_[from];
  }
  float sum = 0;
  for (size_t to = 0; to < n; ++to) {
    sum += start_[to] = jumps.start()[jumps.start_bucket(static_cast<int32_t>(to))];
  }
  start_inverse_sum_ = 1 / sum;
  for (float& prob : start_) prob *= start_inverse_sum_;
}

double Hmm::forward(const Trellis& trellis, double null_prob) {
  const size_t n = trellis.n_states, n_steps = trellis.n_steps;
  const auto null = static_cast<float>(null_prob), not_null = static_cast<float>(1 - null_prob);
  real_.resize(n_steps * n);
  twin_.resize(n_steps * n);
  either_.resize(n_steps * n);
  scale_.resize(n_steps);
  coming_.resize(n);
  double log_prob = 0;
  for (size_t step = 0; step < n_steps; ++step) {
    const float* stay = start_.data();
    const float* reach = start_.data();
    if (step > 0) {
      stay = either_.data() + (step - 1) * n;
      std::fill(coming_.begin(), coming_.end(), 0.0F);
      for (size_t from = 0; from < n; ++from) {
        add_scaled(stay[from], onward_.data() + from * n, coming_.data(), n);
      }
      reach = coming_.data();
    }
    const float* emission = trellis.emission.data() + step * n;
    const float null_emission = null * trellis.null_emission[step];
    float* real = real_.data() + step * n;
    float* twin = twin_.data() + step * n;
    float* either = either_.data() + step * n;
    float sum = 0;
    for (size_t i = 0; i < n; ++i) {
      real[i] = not_null * reach[i] * emission[i];
      twin[i] = null_emission * stay[i];
      sum += real[i] + twin[i];
    }
    const float scale = 1 / sum;
    scale_[step] = scale;
    for (size_t i = 0; i < n; ++i) {
      real[i] *= scale;
      twin[i] *= scale;
      twin[i] = twin[i] < kNothing ? 0 : twin[i];
      either[i] = real[i] + twin[i];
    }
    log_prob += std::log(static_cast<double>(sum));
  }
  return log_prob;
}

void Hmm::backward(Trellis& trellis, double null_prob) {
  const size_t n = trellis.n_states;
  const auto null = static_cast<float>(null_prob), not_null = static_cast<float>(1 - null_prob);
  future_.assign(n, 1.0F);
  earlier_.resize(n);
  moves_.assign(n * n, 0.0F);
  for (size_t step = trellis.n_steps; step-- > 0;) {
    const float* real = real_.data() + step * n;
    const float* twin = twin_.data() + step * n;
    float* posterior = trellis.posterior.data() + step * n;
    float null_posterior = 0;
    for (size_t i = 0; i < n; ++i) {
      posterior[i] = real[i] * future_[i];
      null_posterior += twin[i] * future_[i];
    }
    trellis.null_posterior[step] = null_posterior;
    if (step == 0) break;
    // coming[to]: what follows a jump to `to` at this step; earlier[from]: at the step before.
    const float* emission = trellis.emission.data() + step * n;
    const float real_scale = not_null * scale_[step];
    const float twin_scale = null * trellis.null_emission[step] * scale_[step];
    for (size_t i = 0; i < n; ++i) {
      coming_[i] = real_scale * emission[i] * future_[i];
      earlier_[i] = twin_scale * future_[i];
    }
    const float* either = either_.data() + (step - 1) * n;
    for (size_t i = 0; i < n; ++i) {
      add_scaled(coming_[i], back_.data() + i * n, earlier_.data(), n);
      add_scaled(either[i], coming_.data(), moves_.data() + i * n, n);
    }
    future_.swap(earlier_);
  }
  first_.resize(n);
  for (size_t i = 0; i < n; ++i) first_[i] = either_[i] * future_[i];
}

void Hmm::add_jumps(size_t n, const Jumps& jumps, JumpSums& sums) const {
  for (size_t from = 0; from < n; ++from) {
    const float* moves = moves_.data() + from * n;
    const float* onward = onward_.data() + from * n;
    const auto bucket = [&](size_t to) {
      return jumps.bucket(static_cast<int32_t>(to) - static_cast<int32_t>(from));
    };
    double leaving = 0;
    for (size_t to = 0; to < n; ++to) {
      const double expected = static_cast<double>(moves[to]) * onward[to];
      sums.within[bucket(to)] += expected;
      leaving += expected;
    }
    const double chance = leaving * inverse_sum_[from];
    for (size_t to = 0; to < n; ++to) sums.within_chance[bucket(to)] += chance;
  }
  for (size_t to = 0; to < n; ++to) {
    const size_t bucket = jumps.start_bucket(static_cast<int32_t>(to));
    sums.start[bucket] += first_[to];
    sums.start_chance[bucket] += start_inverse_sum_;
  }
}

double Hmm::posteriors(Trellis& trellis, const Jumps& jumps, double null_prob, JumpSums& sums) {
  set_transitions(trellis.n_states, jumps);
  const double log_prob = forward(trellis, null_prob);
  backward(trellis, null_prob);
  add_jumps(trellis.n_states, jumps, sums);
  return log_prob;
}

void Hmm::best_path(const Trellis& trellis, const Jumps& jumps, double null_prob,
                    std::span<int32_t> states) {
  const size_t n = trellis.n_states, n_steps = trellis.n_steps;
  const auto null = static_cast<float>(null_prob), not_null = static_cast<float>(1 - null_prob);
  set_transitions(n, jumps);
  // real and twin: the best way to a position that ends with its word or with its null twin;
  // either_: the better of both; origin: where the jump to the position came from.
  real_.resize(n_steps * n);
  twin_.resize(n_steps * n);
  origin_.resize(n_steps * n);
  either_.assign(start_.begin(), start_.end());
  coming_.resize(n);
  for (size_t step = 0; step < n_steps; ++step) {
    int32_t* origin = origin_.data() + step * n;
    const float* reach = start_.data();
    if (step > 0) {
      std::fill(coming_.begin(), coming_.end(), -1.0F);
      for (size_t from = 0; from < n; ++from) {
        const float* onward = onward_.data() + from * n;
        const float here = either_[from];
        const auto index = static_cast<int32_t>(from);
        for (size_t to = 0; to < n; ++to) {
          const float value = here * onward[to];
          const bool better = value > coming_[to];
          coming_[to] = better ? value : coming_[to];
          origin[to] = better ? index : origin[to];
        }
      }
      reach = coming_.data();
    }
    const float* emission = trellis.emission.data() + step * n;
    const float null_emission = null * trellis.null_emission[step];
    float* real = real_.data() + step * n;
    float* twin = twin_.data() + step * n;
    float best = 0;
    for (size_t i = 0; i < n; ++i) {
      real[i] = not_null * reach[i] * emission[i];
      twin[i] = null_emission * either_[i];
      best = std::max(best, std::max(real[i], twin[i]));
    }
    const float scale = 1 / best;
    for (size_t i = 0; i < n; ++i) {
      real[i] *= scale;
      twin[i] *= scale;
      either_[i] = std::max(std::max(real[i], twin[i]), kNothing);
    }
  }
  size_t at = static_cast<size_t>(std::max_element(either_.begin(), either_.end()) -
                                  either_.begin());
  for (size_t step = n_steps; step-- > 0;) {
    if (twin_[step * n + at] > real_[step * n + at]) {
      states[step] = -1;
    } else {
      states[step] = static_cast<int32_t>(at);
      if (step > 0) at = static_cast<size_t>(origin_[step * n + at]);
    }
  }
}

}  // namespace calque::align
