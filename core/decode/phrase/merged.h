// Orientation towards merged blocks: the hierarchical reordering features.
#pragma once

#include <cstdint>

#include "blocks/orientation.h"
#include "flat_map.h"

namespace calque {

// Stacks of source spans. The span of a new block is merged with the top of the stack as long as
// the two touch; a block that ends the sentence before, [0, 0), lies at the bottom. A stack is its
// top and the stack below it: equal stacks have equal ids.
class MergedBlocks {
 public:
  // Forgets all stacks; that of the beginning.
  int32_t begin() {
    stacks_.clear();
    return stacks_.intern({0, 0, -1});
  }

  // Where [begin, end) lies towards the merged block before it.
  Orientation orientation(int32_t stack, int begin, int end) const {
    const Top& top = stacks_[stack];
    if (begin == top.end) return kMonotone;
    return end == top.begin ? kSwap : kDiscontinuous;
  }

  // The stack after [begin, end).
  int32_t push(int32_t stack, int begin, int end) {
    while (stack >= 0) {
      const Top& top = stacks_[stack];
      if (begin == top.end) {
        begin = top.begin;
      } else if (end == top.begin) {
        end = top.end;
      } else {
        break;
      }
      stack = top.below;
    }
    return stacks_.intern({begin, end, stack});
  }

 private:
  struct Top {
    int32_t begin, end, below;
    bool operator==(const Top&) const = default;
    uint64_t hash() const {
      return mix(mix(static_cast<uint64_t>(begin) << 32 | static_cast<uint32_t>(end)) ^
                 static_cast<uint64_t>(below));
    }
  };
  Interner<Top> stacks_;
};

// Where what follows lies towards the block [last_begin, last_end), as far as a search from left to
// right can tell: the next block is [begin, end), and whatever lies between the two and is free will
// be merged with it. Equals the definition from right to left wherever the order of the blocks can
// be built by merging neighbours. `is_free(i)`: word i was not translated before the next block.
template <typename IsFree>
Orientation forward_orientation(int last_begin, int last_end, int begin, int end, IsFree is_free) {
  if (begin >= last_end && is_free(last_end)) return kMonotone;
  return end <= last_begin && is_free(last_begin - 1) ? kSwap : kDiscontinuous;
}
// The same at the end of the sentence.
inline Orientation forward_at_end(int last_end, int n_words) {
  return last_end == n_words ? kMonotone : kDiscontinuous;
}

}  // namespace calque
