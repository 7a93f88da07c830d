#include "decode/phrase/completion.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

namespace calque {

void Completion::begin(const OptionTable& table, int distortion_limit) {
  limit_ = distortion_limit;
  n_words_ = table.size();
  ends_.clear();
  for (int begin = 0; begin < n_words_; ++begin) {
    int end = begin + 1;
    const int last = std::min(n_words_, begin + table.max_words());
    while (end < last && table.span(begin, end).empty()) ++end;
    ends_.push_back(table.span(begin, end).empty() ? begin + 1 : end);
  }
}

bool Completion::is_possible(const Coverage& covered, int last_end) {
  left_.clear();
  right_.clear();
  // Beyond the window everything is free, and one jump to the first word of it is enough.
  const int beyond = covered.first + Coverage::kWindow;
  for (int word = covered.first; word < std::min(n_words_, beyond + 1);) {
    if (word < beyond && !covered.can_add(word, word + 1)) {
      ++word;
      continue;
    }
    const int end = ends_[static_cast<size_t>(word)];
    (word < last_end ? left_ : right_).push_back({word, end});
    word = end;
  }
  return turns_left(last_end) || turns_right(last_end);
}

bool Completion::reaches(int from_end, int begin) const {
  return std::abs(begin - from_end) <= limit_;
}

// To the first gap, then from left to right over everything else.
bool Completion::turns_left(int last_end) const {
  for (size_t i = 1; i < right_.size(); ++i) {
    if (!reaches(right_[i - 1].end, right_[i].begin)) return false;
  }
  if (left_.empty()) return right_.empty() || reaches(last_end, right_.front().begin);
  constexpr int kNowhere = -1;  // there is no way back: nothing is left to be taken on it
  const auto arrives = [&](const Unit& unit, int back) {
    return back == kNowhere || reaches(unit.end, back);
  };
  // The last unit was taken on the way out, or is left for the way back: of either the best.
  Ways taken{true, last_end, right_.empty() ? kNowhere : right_.front().begin}, left_over;
  for (size_t i = left_.size() - 1; i > 0; --i) {
    const Unit& unit = left_[i];
    Ways now_taken, now_left;
    for (const Ways& ways : {taken, left_over}) {
      if (!ways.possible) continue;
      if (reaches(ways.out, unit.begin) && (!now_taken.possible || ways.back < now_taken.back)) {
        now_taken = {true, unit.end, ways.back};
      }
      if (arrives(unit, ways.back) && (!now_left.possible || ways.out < now_left.out)) {
        now_left = {true, ways.out, unit.begin};
      }
    }
    taken = now_taken;
    left_over = now_left;
  }
  const Unit& turn = left_.front();
  return std::ranges::any_of(std::array{taken, left_over}, [&](const Ways& ways) {
    return ways.possible && reaches(ways.out, turn.begin) && arrives(turn, ways.back);
  });
}

// To the last word, then from right to left over everything else. The first gap stays open all the
// way, so all of it must fit into the window.
bool Completion::turns_right(int last_end) const {
  if (left_.empty() || right_.empty()) return false;
  if (right_.back().end - left_.front().begin > Coverage::kWindow) return false;
  for (size_t i = 1; i < left_.size(); ++i) {
    if (!reaches(left_[i].end, left_[i - 1].begin)) return false;
  }
  Ways taken{true, last_end, left_.back().begin}, left_over;
  for (const Unit& unit : std::span(right_).first(right_.size() - 1)) {
    Ways now_taken, now_left;
    for (const Ways& ways : {taken, left_over}) {
      if (!ways.possible) continue;
      if (reaches(ways.out, unit.begin) && (!now_taken.possible || ways.back > now_taken.back)) {
        now_taken = {true, unit.end, ways.back};
      }
      if (reaches(unit.end, ways.back) && (!now_left.possible || ways.out > now_left.out)) {
        now_left = {true, ways.out, unit.begin};
      }
    }
    taken = now_taken;
    left_over = now_left;
  }
  const Unit& turn = right_.back();
  return std::ranges::any_of(std::array{taken, left_over}, [&](const Ways& ways) {
    return ways.possible && reaches(ways.out, turn.begin) && reaches(turn.end, ways.back);
  });
}

}  // namespace calque
