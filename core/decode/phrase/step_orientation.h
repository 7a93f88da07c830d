// Where a step of a derivation leads.
#pragma once

#include <cstdint>

#include "blocks/orientation.h"

namespace calque {

// What lies before the first block of a sentence.
enum class Start : int32_t {
  kBoundary,  // an empty block [0, 0): a block that begins the sentence lies to the right of it
  kNothing,   // no block: the first one is discontinuous wherever it lies
};

// Where span [begin, end) lies towards the block before it in the target; 0, 0: there is none.
inline Orientation step_orientation(Start start, int last_begin, int last_end, int begin, int end) {
  if (last_end == 0 && start == Start::kNothing) return kDiscontinuous;
  if (begin == last_end) return kMonotone;
  return end == last_begin ? kSwap : kDiscontinuous;
}

}  // namespace calque
