// Gaps: what makes a block a rule of a hierarchical grammar (Chiang 2007, section 3).
#pragma once

#include <cstdint>

namespace calque {

// The ids of gaps among the words of a rule. They are those of the boundaries of sentences, which
// never stand inside a phrase, so that every word of a text remains a word. Source sides number
// their gaps from left to right; a target side has the same gaps, each once, in any order.
inline constexpr int32_t kFirstGap = 1, kSecondGap = 2;
inline constexpr int kMaxGaps = 2;

inline bool is_gap(int32_t symbol) { return symbol == kFirstGap || symbol == kSecondGap; }

}  // namespace calque
