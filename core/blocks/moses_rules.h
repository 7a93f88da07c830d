// Rules in Moses's text tables: `[X][X]` is a gap, and both sides end with `[X]`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

inline constexpr std::string_view kGapText = "[X][X]", kLabelText = "[X]";

// Source and target position of an alignment point.
using Point = std::array<uint8_t, 2>;

// Whether Moses would take a word for a label: `[NP]`.
inline bool is_label(std::string_view token) {
  return token.size() > 2 && token.front() == '[' && token.back() == ']';
}

// Each of these says what is wrong, or nothing. `side` is "source" or "target".

// Drops the label `[X]` at the end of a side; other labels than gaps are wrong.
std::string take_label(std::vector<std::string_view>& tokens, const char* side);

// Gives gaps, which all come as kFirstGap, their numbers: from left to right on the source side, and
// on the target side those of the gaps that `points` lead to. Drops these points.
std::string number_gaps(std::vector<int32_t>& source, std::vector<int32_t>& target,
                        std::vector<Point>& points);

}  // namespace calque
