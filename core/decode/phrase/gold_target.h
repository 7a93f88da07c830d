// Forced decoding that stays in a gold lattice.
#pragma once

#include <cstdint>

#include "decode/phrase/coverage.h"
#include "decode/phrase/target.h"
#include "flat_map.h"

namespace calque {

// A state of a gold lattice.
struct GoldState {
  Coverage coverage;
  int32_t last_end;  // of the last block
  int32_t n_words;   // of the reference that have been given

  bool operator==(const GoldState&) const = default;
  uint64_t hash() const {
    return mix(coverage.hash() ^ (static_cast<uint64_t>(last_end) << 32 | static_cast<uint32_t>(n_words)));
  }
};
using GoldStates = Interner<GoldState>;

// Only the words of a reference may follow, and only to states of its lattice, which all lead to the
// end of it; or, without a lattice, anywhere.
class GoldTarget : public ForcedTarget {
 public:
  // `states` is null or outlives the target. `ends` as in ForcedTarget.
  GoldTarget(const ModelView& model, const WeightView& weights, std::span<const int32_t> reference,
             bool ends, const GoldStates* states)
      : ForcedTarget(model, weights, reference, ends, {}), states_(states) {}

  bool has_future(const Coverage& coverage, int last_end, int32_t n_words) const {
    return states_ == nullptr || states_->find({coverage, last_end, n_words}) >= 0;
  }

 private:
  const GoldStates* states_;
};

}  // namespace calque
