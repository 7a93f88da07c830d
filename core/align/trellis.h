// One sentence pair as an aligner sees it: every generated word against every word it may come from.
#pragma once

#include <cstddef>
#include <vector>

namespace calque::align {

// Steps are the words of the generated side, states the words of the given side; matrices are
// step-major: entry [step * n_states + state]. Made once per thread and reshaped per sentence.
struct Trellis {
  size_t n_steps = 0, n_states = 0;
  std::vector<float> emission;        // probability of the step's word given the state's word
  std::vector<float> null_emission;   // per step: given the null word
  std::vector<float> posterior;       // probability that the step's word comes from the state
  std::vector<float> null_posterior;  // per step: from the null word

  void shape(size_t steps, size_t states) {
    n_steps = steps;
    n_states = states;
    emission.resize(steps * states);
    posterior.resize(steps * states);
    null_emission.resize(steps);
    null_posterior.resize(steps);
  }
};

}  // namespace calque::align
