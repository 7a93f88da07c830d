#include "decode/chart/lm_parts.h"

#include <algorithm>

namespace calque {

void LmParts::begin() {
  lefts_.clear();
  rights_.clear();
  std::ranges::fill(joins_, Join{});
  part({});  // has the numbers 0
  sentence_begin_ = part(lm_begin(lm_));
}

LmParts::Join LmParts::join_anew(uint64_t key, const LmPart& before, const LmPart& next) {
  LmFragment both{left(before), right(before)};
  const float change = lm_join(lm_, both, left(next), right(next));
  return {key, change, number(both.left), is_closed(next) ? 0 : rights_.intern(both.right)};
}

}  // namespace calque
