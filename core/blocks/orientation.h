// How a block lies to its neighbour on the target side.
#pragma once

#include <cstdint>

namespace calque {

// Counted to the words that touch its corners, as Moses's word-based model has it, or seen to the
// block before in a derivation: R, L and N of the block papers. Columns and letters are in this order.
enum Orientation : int { kMonotone, kSwap, kDiscontinuous };

// To the block that precedes on the target side, as in the block papers.
enum class Side : uint32_t { left, right, neutral };

}  // namespace calque
