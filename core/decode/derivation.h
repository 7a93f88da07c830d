// Derivations: which blocks make a translation, how they are nested, and what they add up to.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "blocks/gaps.h"
#include "features/dense_set.h"

namespace calque {

struct Step {
  int32_t begin, end;           // half-open source span
  int64_t block;                // row of the block table; -1: the source word is copied, or required
  bool required;                // the user asked for this target
  FrequencyChange change;       // of the block's frequencies, where its pair is left out
  int orientation;              // towards the previous block; -1: blocks may be nested
  float log_sum;                // what its score was normalised by; 0: it was not
  std::vector<int32_t> target;  // -1 - i: the text of source word i, or one that a constraint named
  std::array<int32_t, kMaxGaps> gaps{-1, -1};  // the steps that fill the gaps of a rule; -1: no gap

  bool is_gap(size_t at) const { return block >= 0 && calque::is_gap(target[at]); }
};

// A target word of a derivation, and where it comes from: a place in the target of a step.
struct YieldWord {
  int32_t word, step, place;
};

struct Derivation {
  double score = 0;  // values times weights, minus what the steps were normalised by
  std::vector<double> features;  // in the order of the dense set
  // In target order where none has gaps; else a step comes before those that fill its gaps.
  std::vector<Step> steps;
};

// The steps that fill no gap, in target order: what they give follows each other.
std::vector<int32_t> top_steps(std::span<const Step> steps);

// The target words of steps, with their places, or alone.
std::vector<YieldWord> yield_of(std::span<const Step> steps);
void append_words(std::span<const Step> steps, std::vector<int32_t>& words);

// What the search of a sentence found.
struct Decoded {
  std::vector<Derivation> derivations;  // best first; at least one, except for a forced search
  int64_t n_generated = 0;              // the cost of the search, whatever the threads
};

}  // namespace calque
