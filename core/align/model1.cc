#include "align/model1.h"

#include <algorithm>
#include <cmath>

namespace calque::align {
namespace {

constexpr size_t kShort = 40;  // words: at most 6 MB of priors

}  // namespace

Model1::Model1(std::optional<double> null_prob, double tension)
    : null_prob_(null_prob), tension_(tension), short_(kShort * kShort) {}

double Model1::posteriors(Trellis& trellis) {
  const size_t n_states = trellis.n_states;
  const Prior& where = prior(trellis.n_steps, n_states);
  const double null_prob = null_prob_.value_or(1 / (static_cast<double>(n_states) + 1));
  double log_prob = 0;
  for (size_t step = 0; step < trellis.n_steps; ++step) {
    const float* emission = trellis.emission.data() + step * n_states;
    const double* weight = where.weights.data() + step * n_states;
    float* posterior = trellis.posterior.data() + step * n_states;
    double sum = 0;
    for (size_t i = 0; i < n_states; ++i) {
      const double value = weight[i] * emission[i];
      sum += value;
      posterior[i] = static_cast<float>(value);
    }
    const double scale = (1 - null_prob) / where.sums[step];
    const double null = null_prob * trellis.null_emission[step];
    const double total = sum * scale + null;
    for (size_t i = 0; i < n_states; ++i) {
      posterior[i] = static_cast<float>(posterior[i] * scale / total);
    }
    trellis.null_posterior[step] = static_cast<float>(null / total);
    log_prob += std::log(total);
  }
  return log_prob;
}

const Model1::Prior& Model1::prior(size_t n_steps, size_t n_states) {
  if (std::max(n_steps, n_states) > kShort) {
    fill(long_, n_steps, n_states);
    return long_;
  }
  Prior& kept = short_[(n_steps - 1) * kShort + n_states - 1];
  if (kept.sums.empty()) fill(kept, n_steps, n_states);
  return kept;
}

void Model1::fill(Prior& prior, size_t n_steps, size_t n_states) const {
  prior.weights.resize(n_steps * n_states);
  prior.sums.assign(n_steps, 0);
  for (size_t step = 0; step < n_steps; ++step) {
    const double place = static_cast<double>(step + 1) / static_cast<double>(n_steps);
    for (size_t i = 0; i < n_states; ++i) {
      const double here = static_cast<double>(i + 1) / static_cast<double>(n_states);
      const double weight = tension_ == 0 ? 1 : std::exp(-tension_ * std::abs(here - place));
      prior.weights[step * n_states + i] = weight;
      prior.sums[step] += weight;
    }
  }
}

}  // namespace calque::align
