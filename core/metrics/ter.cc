#include "metrics/ter.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace calque {
namespace {

constexpr size_t kMaxShiftWords = 10;
constexpr size_t kMaxShiftDistance = 50;
constexpr size_t kMaxTried = 1000;
constexpr int64_t kBeam = 25;
constexpr int32_t kUnreached = 1 << 30;

}  // namespace

int64_t Ter::n_edits(std::span<const int32_t> hypothesis, std::span<const int32_t> reference) {
  if (reference.empty()) return static_cast<int64_t>(hypothesis.size());
  reference_ = reference;
  words_.assign(hypothesis.begin(), hypothesis.end());
  row_words_.clear();
  const size_t width = reference.size() + 1;
  table_.resize((words_.size() + 1) * width);
  for (size_t j = 0; j < width; ++j) table_[j] = {static_cast<int32_t>(j), Step::insert};
  int64_t n_shifts = 0;
  size_t n_tried = 0;
  while (find_shift(n_tried)) {
    ++n_shifts;
    words_.swap(best_);
  }
  return n_shifts + distance(words_);
}

int32_t Ter::distance(std::span<const int32_t> words) {
  const size_t width = reference_.size() + 1;
  size_t same = 0;
  while (same < row_words_.size() && row_words_[same] == words[same]) ++same;
  row_words_.assign(words.begin(), words.end());
  const double ratio = words.empty() ? 1.0
                                     : static_cast<double>(reference_.size()) /
                                           static_cast<double>(words.size());
  const int64_t beam = static_cast<double>(kBeam) < ratio / 2
                           ? static_cast<int64_t>(std::ceil(ratio / 2 + static_cast<double>(kBeam)))
                           : kBeam;
  for (size_t i = same + 1; i <= words.size(); ++i) {
    const Cell* const above = table_.data() + (i - 1) * width;
    Cell* const row = table_.data() + i * width;
    std::fill(row, row + width, Cell{kUnreached, Step::none});
    const auto diagonal = static_cast<int64_t>(std::floor(static_cast<double>(i) * ratio));
    const auto begin = static_cast<size_t>(std::max<int64_t>(0, diagonal - beam));
    const size_t end =
        i == words.size() ? width : std::min(width, static_cast<size_t>(diagonal + beam));
    for (size_t j = begin; j < end; ++j) {
      if (j == 0) {
        row[j] = {above[j].cost + 1, Step::drop};
        continue;
      }
      const bool equal = words[i - 1] == reference_[j - 1];
      const Cell ways[] = {{above[j - 1].cost + !equal, equal ? Step::keep : Step::substitute},
                           {above[j].cost + 1, Step::drop},
                           {row[j - 1].cost + 1, Step::insert}};
      for (const Cell& way : ways) {
        if (way.cost < row[j].cost) row[j] = way;
      }
    }
  }
  return table_[words.size() * width + width - 1].cost;
}

void Ter::trace(size_t n_words) {
  const size_t width = reference_.size() + 1;
  steps_.clear();
  for (size_t i = n_words, j = reference_.size(); i > 0 || j > 0;) {
    // The beam always leaves a way; a cell without one would otherwise never end.
    Step step = table_[i * width + j].step;
    if (step == Step::none) step = i > 0 ? Step::drop : Step::insert;
    steps_.push_back(step);
    if (step != Step::insert) --i;
    if (step != Step::drop) --j;
  }
  position_.clear();
  word_wrong_.clear();
  reference_wrong_.clear();
  int32_t at = -1;
  for (size_t s = steps_.size(); s-- > 0;) {
    if (steps_[s] != Step::insert) {
      ++at;
      word_wrong_.push_back(steps_[s] != Step::keep);
    }
    if (steps_[s] != Step::drop) {
      position_.push_back(at);
      reference_wrong_.push_back(steps_[s] != Step::keep);
    }
  }
}

bool Ter::find_shift(size_t& n_tried) {
  const int32_t before = distance(words_);
  trace(words_.size());
  // More edits saved, then longer, then earlier, then to an earlier place.
  using Rank = std::tuple<int32_t, size_t, int64_t, int64_t>;
  Rank best_rank{0, 0, 0, 0};
  const auto try_shift = [&](size_t begin, size_t place, size_t length) {
    int64_t last_target = -1;
    for (size_t k = 0; k <= length; ++k) {
      const int64_t target = place + k == 0 ? 0 : position_[place + k - 1] + 1;
      if (target == last_target) continue;
      last_target = target;
      shift(begin, length, static_cast<size_t>(target), shifted_);
      const Rank rank{before - distance(shifted_), length, -static_cast<int64_t>(begin), -target};
      ++n_tried;
      if (std::get<0>(rank) > 0 && rank > best_rank) {
        best_rank = rank;
        best_ = shifted_;
      }
    }
  };
  for (size_t begin = 0; begin < words_.size(); ++begin) {
    const size_t low = begin < kMaxShiftDistance ? 0 : begin - kMaxShiftDistance;
    const size_t high = std::min(reference_.size(), begin + kMaxShiftDistance + 1);
    for (size_t place = low; place < high; ++place) {
      const size_t longest =
          std::min({kMaxShiftWords, words_.size() - begin, reference_.size() - place});
      for (size_t length = 1; length <= longest; ++length) {
        if (words_[begin + length - 1] != reference_[place + length - 1]) break;
        if (all_right(word_wrong_, begin, length)) continue;
        if (all_right(reference_wrong_, place, length)) continue;
        const auto there = static_cast<int64_t>(position_[place]);
        const auto here = static_cast<int64_t>(begin);
        if (here <= there && there < here + static_cast<int64_t>(length)) continue;
        try_shift(begin, place, length);
        // Where the limit is reached, the search ends and even its best shift is not made.
        if (n_tried >= kMaxTried) return false;
      }
    }
  }
  return std::get<0>(best_rank) > 0;
}

bool Ter::all_right(const std::vector<uint8_t>& wrong, size_t begin, size_t length) const {
  const auto first = wrong.begin() + static_cast<int64_t>(begin);
  return std::find(first, first + static_cast<int64_t>(length), 1) ==
         first + static_cast<int64_t>(length);
}

void Ter::shift(size_t begin, size_t length, size_t target, std::vector<int32_t>& out) const {
  // A target inside the shifted words means: as many words on as it lies behind their beginning.
  const size_t n = words_.size();
  out = words_;
  const auto at = [&](size_t i) { return out.begin() + static_cast<int64_t>(std::min(i, n)); };
  if (target < begin) {
    std::rotate(at(target), at(begin), at(begin + length));
  } else {
    const size_t stop = target > begin + length ? target : target + length;
    std::rotate(at(begin), at(begin + length), at(stop));
  }
}

}  // namespace calque
