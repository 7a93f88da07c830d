#include "align/model1.h"

#include <cmath>

namespace calque::align {

double model1_posteriors(Trellis& trellis, double null_prob, double tension) {
  const size_t n_states = trellis.n_states;
  double log_prob = 0;
  for (size_t step = 0; step < trellis.n_steps; ++step) {
    const float* emission = trellis.emission.data() + step * n_states;
    float* posterior = trellis.posterior.data() + step * n_states;
    double prior_sum = 0, sum = 0;
    const double place = static_cast<double>(step + 1) / static_cast<double>(trellis.n_steps);
    for (size_t i = 0; i < n_states; ++i) {
      const double here = static_cast<double>(i + 1) / static_cast<double>(n_states);
      const double prior = tension == 0 ? 1 : std::exp(-tension * std::abs(here - place));
      prior_sum += prior;
      const double value = prior * emission[i];
      sum += value;
      posterior[i] = static_cast<float>(value);
    }
    const double scale = (1 - null_prob) / prior_sum;
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

}  // namespace calque::align
