// The resident decoder: a loaded model, weights that change in no time, sentences on many threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/derivation.h"

namespace calque {

struct DecodeOptions {
  SearchOptions search;
  int options_per_span = 20;  // translation options kept per source span; 0: all
  int n_best = 1;
  bool distinct = true;
};

struct Decoded {
  std::vector<Derivation> derivations;  // best first; at least one
  int64_t n_generated = 0;
};

// Translates sentences offsets[i] .. offsets[i + 1] of `ids`. Results do not depend on n_threads.
std::vector<Decoded> decode(const ModelView& model, const DenseVector& weights,
                            const DecodeOptions& options, std::span<const int32_t> ids,
                            std::span<const int64_t> offsets, int n_threads);

}  // namespace calque
