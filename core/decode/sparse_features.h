// The sparse features of derivations, extracted from them alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/derivation.h"

namespace calque {

// A sparse vector: ascending keys and how often each fired.
struct SparseVector {
  std::vector<uint64_t> keys;
  std::vector<float> counts;
};

// What blocks in this order give. `ends` as in extract_features.
// Oracle: tests/test_features_families.py (slow references).
SparseVector extract_sparse(const ModelView& model, const SentenceView& sentence,
                            std::span<const Step> steps, bool ends = true);

}  // namespace calque
