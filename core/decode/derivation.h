// Derivations: which blocks make a translation, and the features they add up to.
#pragma once

#include <cstdint>
#include <vector>

#include "features/dense_set.h"

namespace calque {

struct Step {
  int32_t begin, end;           // half-open source span
  int64_t block;                // row of the block table; -1: the source word is copied, or required
  bool required;                // the user asked for this target
  FrequencyChange change;       // of the block's frequencies, where its pair is left out
  int orientation;              // towards the previous block
  float log_sum;                // what its score was normalised by; 0: it was not
  std::vector<int32_t> target;  // -1 - i: the text of source word i, or one that a constraint named
};

struct Derivation {
  double score = 0;  // values times weights, minus what the steps were normalised by
  std::vector<double> features;  // in the order of the dense set
  std::vector<Step> steps;       // in target order
};

// What the search of a sentence found.
struct Decoded {
  std::vector<Derivation> derivations;  // best first; at least one, except for a forced search
  int64_t n_generated = 0;              // the cost of the search, whatever the threads
};

}  // namespace calque
