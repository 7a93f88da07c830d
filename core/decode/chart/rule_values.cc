#include "decode/chart/rule_values.h"

#include <algorithm>

namespace calque {
namespace {

// What a gap is called in a phrase.
uint64_t gap_value(int32_t gap) {
  return hash_bytes(gap == kFirstGap ? std::string_view("[1]") : std::string_view("[2]"));
}

}  // namespace

void RuleValues::begin(const SentenceView& sentence) {
  levels_ = sentence.levels;
  whole_.begin(set_, levels_);
  n_words_ = sentence.size();
}

void RuleValues::place(int begin, int end, std::span<const std::array<int32_t, 2>> gaps) {
  n_targets_ = 0;
  place_begin_ = begin;
  place_end_ = end;
  gaps_.assign(gaps.begin(), gaps.end());
  source_ = kEmptyPhrase;
  size_t gap = 0;
  const bool has_left = begin > 0;
  const auto add_row = [&](int position) {
    const uint64_t* const row = whole_.source(position);
    rows_.insert(rows_.end(), row, row + set_.n_source_levels());
  };
  rows_.clear();
  if (has_left) add_row(begin - 1);
  int n_own = 0;
  for (int at = begin; at < end;) {
    if (gap < gaps.size() && gaps[gap][0] == at) {
      source_ = extend_key(source_, gap_value(kFirstGap + static_cast<int32_t>(gap)));
      at = gaps[gap++][1];
    } else {
      source_ = extend_key(source_, whole_.source(at)[0]);
      add_row(at++);
      ++n_own;
    }
  }
  if (gaps.empty()) {
    at_ = &whole_;
    begin_ = begin;
    end_ = end;
    return;
  }
  if (end < n_words_) add_row(end);
  own_.begin(set_, rows_, levels_);
  at_ = &own_;
  begin_ = has_left ? 1 : 0;
  end_ = begin_ + n_own;
}

StepView RuleValues::view(int64_t row, std::span<const int32_t> target) {
  StepView view;
  view.begin = begin_;
  view.end = end_;
  view.row = row;
  view.target = target;
  view.values = {source_, kEmptyPhrase, 0};
  bool has_gaps = false;
  for (const int32_t symbol : target) {
    const bool gap = row >= 0 && is_gap(symbol);
    has_gaps |= gap;
    view.values.target =
        extend_key(view.values.target, gap ? gap_value(symbol) : at_->target(symbol)[0]);
  }
  view.values.block = block_value(view.values.source, view.values.target);
  if (has_gaps) {
    if (n_targets_ == targets_.size()) {
      targets_.emplace_back();
      gap_views_.emplace_back();
    }
    std::vector<GapView>& views = gap_views_[n_targets_];
    views.clear();
    const size_t n_seen = set_.has(Scope::kGaps) ? gaps_.size() : 0;
    for (size_t number = 0; number < n_seen; ++number) views.push_back(gap(number, target));
    view.gaps = views;
    std::vector<int32_t>& own = targets_[n_targets_++];
    own.clear();
    for (const int32_t symbol : target) {
      if (!is_gap(symbol)) own.push_back(symbol);
    }
    view.target = own;
  }
  return view;
}

GapView RuleValues::gap(size_t number, std::span<const int32_t> target) const {
  const auto [begin, end] = gaps_[number];
  const auto at = std::ranges::find(target, kFirstGap + static_cast<int32_t>(number));
  const bool is_first = at == target.begin(), is_last = at + 1 == target.end();
  const auto row = [this](int32_t symbol, const uint64_t* boundary) {
    return is_gap(symbol) ? boundary : set_.target_row(symbol);
  };
  const uint64_t *const start = set_.start_row(), *const stop = set_.end_row();
  return {begin, end, gap_place(begin == place_begin_, end == place_end_),
          gap_place(is_first, is_last), is_first ? start : row(*(at - 1), start),
          is_last ? stop : row(*(at + 1), stop)};
}

}  // namespace calque
