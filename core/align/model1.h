// IBM Model 1: every word is generated on its own.
#pragma once

#include <optional>
#include <vector>

#include "align/trellis.h"

namespace calque::align {

// A word comes from the null word with `null_prob`, else from state i of step j with a prior that
// falls exponentially, at the rate `tension`, with the distance of their relative positions (Dyer
// et al. 2013). With tension 0 and without `null_prob` the null word is one more position, and all
// are equally likely: Model 1 proper (Brown et al. 1993). Made once per thread: the priors of short
// sentences are kept. Oracle: tests/test_align_model1.py.
class Model1 {
 public:
  Model1(std::optional<double> null_prob, double tension);

  // Fills the posteriors and returns the natural log of the probability of the steps.
  double posteriors(Trellis& trellis);

 private:
  // The weight of every state at every step, and their sum per step; empty where not made yet.
  struct Prior {
    std::vector<double> weights, sums;
  };
  const Prior& prior(size_t n_steps, size_t n_states);
  void fill(Prior& prior, size_t n_steps, size_t n_states) const;

  std::optional<double> null_prob_;
  double tension_;
  std::vector<Prior> short_;  // by number of steps and states
  Prior long_;
};

}  // namespace calque::align
