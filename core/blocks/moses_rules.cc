#include "blocks/moses_rules.h"

#include <algorithm>

#include "blocks/gaps.h"

namespace calque {

std::string take_label(std::vector<std::string_view>& tokens, const char* side) {
  if (tokens.empty() || tokens.back() != kLabelText) {
    return std::string("the ") + side + " side of a rule does not end with [X]";
  }
  tokens.pop_back();
  for (const std::string_view token : tokens) {
    if (token == "<s>" || token == "</s>") {
      return "'" + std::string(token) + "' marks the boundary of a sentence: expected words";
    }
    if (is_label(token) && token != kGapText) {
      return "label '" + std::string(token) + "': expected no other labels than X";
    }
  }
  return {};
}

std::string number_gaps(std::vector<int32_t>& source, std::vector<int32_t>& target,
                        std::vector<Point>& points) {
  const auto n_gaps = std::ranges::count_if(source, is_gap);
  if (n_gaps > kMaxGaps || n_gaps != std::ranges::count_if(target, is_gap)) {
    return "has " + std::to_string(n_gaps) + " gaps on the source side and " +
           std::to_string(std::ranges::count_if(target, is_gap)) +
           " on the target side: expected as many, at most two";
  }
  if (n_gaps == static_cast<std::ptrdiff_t>(source.size())) {
    return "the source side of a rule has no word";
  }
  int32_t next = kFirstGap;
  for (int32_t& symbol : source) {
    if (is_gap(symbol)) symbol = next++;
  }
  std::array<bool, kMaxGaps> taken{};
  for (size_t t = 0; t < target.size(); ++t) {
    if (!is_gap(target[t])) continue;
    int32_t gap = 0;
    for (const auto& [source_position, target_position] : points) {
      if (target_position != t || !is_gap(source[source_position])) continue;
      if (gap == 0) gap = source[source_position];
    }
    if (gap == 0 || taken[static_cast<size_t>(gap - kFirstGap)]) {
      return "the alignment does not lead from every gap of the source side to one of the target"
             " side";
    }
    taken[static_cast<size_t>(gap - kFirstGap)] = true;
    target[t] = gap;
  }
  const auto is_of_gap = [&](const Point& point) {
    return is_gap(source[point[0]]) || is_gap(target[point[1]]);
  };
  const auto is_wrong = [&](const Point& point) {
    return is_of_gap(point) && source[point[0]] != target[point[1]];
  };
  if (std::ranges::any_of(points, is_wrong)) {
    return "an alignment point leads from a gap to a word or to another gap";
  }
  std::erase_if(points, is_of_gap);
  return {};
}

}  // namespace calque
