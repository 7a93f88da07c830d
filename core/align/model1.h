// IBM Model 1: every word is generated on its own.
#pragma once

#include "align/trellis.h"

namespace calque::align {

// Fills the posteriors and returns the natural log of the probability of the steps. A word comes
// from the null word with `null_prob`, else from state i of step j with a prior that falls
// exponentially, at the rate `tension`, with the distance of their relative positions (Dyer et al.
// 2013); with tension 0 it is uniform, which is Model 1 proper (Brown et al. 1993).
// Oracle: tests/test_align_model1.py.
double model1_posteriors(Trellis& trellis, double null_prob, double tension);

}  // namespace calque::align
