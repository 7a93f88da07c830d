// How a block lies to its neighbour on the target side.
#pragma once

#include <cstdint>

namespace calque {

// To the words that touch its corners, as Moses's word-based model has it.
enum class Orientation : uint32_t { monotone, swap, discontinuous };

// To the block that precedes on the target side, as in the block papers.
enum class Side : uint32_t { left, right, neutral };

}  // namespace calque
