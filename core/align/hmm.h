// The HMM aligner: where a word comes from depends on where the word before it came from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/jumps.h"
#include "align/trellis.h"

namespace calque::align {

// Vogel, Ney and Tillmann (1996) with the null words of Och and Ney (2003): every state has a twin
// that emits with the null word's distribution and remembers the position, so a jump is measured
// from the last word that was not null. A step is null with `null_prob`. The future of a state and
// of its twin are the same, so sums run over n_states, not twice as many: O(steps * states^2) time.
//
// One object per thread; it owns the scratch memory. Oracle: tests/test_align_hmm.py (enumeration).
class Hmm {
 public:
  // Fills the posteriors, adds expected jumps to `sums`, and returns the natural log of the
  // probability of the steps.
  double posteriors(Trellis& trellis, const Jumps& jumps, double null_prob, JumpSums& sums);

  // The most probable state of every step, -1 for null; of equals, that with the smaller states.
  void best_path(const Trellis& trellis, const Jumps& jumps, double null_prob,
                 std::span<int32_t> states);

 private:
  void set_transitions(size_t n_states, const Jumps& jumps);
  double forward(const Trellis& trellis, double null_prob);
  void backward(Trellis& trellis, double null_prob);
  void add_jumps(size_t n_states, const Jumps& jumps, JumpSums& sums) const;

  std::vector<float> start_, onward_, back_;      // transitions; `back_` is `onward_` transposed
  std::vector<float> inverse_sum_;                // 1 / normalising sum, per position
  float start_inverse_sum_ = 0;
  std::vector<float> real_, twin_, either_;       // forward variables, scaled to sum 1 per step
  std::vector<float> scale_;                      // 1 / the sum before scaling, per step
  std::vector<float> future_, coming_, earlier_;  // backward variables of one step
  std::vector<float> moves_;                      // expected jumps [from * n_states + to]
  std::vector<float> first_;                      // posterior of the position at the first step
  std::vector<int32_t> origin_;
};

}  // namespace calque::align
