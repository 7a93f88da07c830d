// Chart translation that knows whether its words stand in a reference.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decode/chart/lm_sides.h"

namespace calque {

// Any words may stand side by side, as for `LmSides`. Where the words of a part stand first in the
// reference is part of its state: parts that may still give the reference are never recombined with
// ones that cannot (Yu et al. 2013, section 4, for spans).
class WatchedSides {
 public:
  static constexpr int32_t kNothing = LmSides::kNothing;
  using Key = std::array<int32_t, 6>;
  // Words of the reference, the first of several places where they stand; begin -1: no such words.
  struct Place {
    int32_t begin, end;
    bool is_bad() const { return begin < 0; }
    bool operator==(const Place&) const = default;
  };

  explicit WatchedSides(LmSides inner) : inner_(std::move(inner)) {}

  // The reference of the sentences that come, which outlives them; `ends`: whether the end of the
  // sentence is scored, which is so for all but prefixes.
  void watch(std::span<const int32_t> reference, bool ends) {
    reference_ = reference;
    ends_ = ends;
  }

  void begin() {
    inner_.begin();
    states_.clear();
  }
  static constexpr bool adds_up() { return true; }
  static void cover(int) {}

  void prefetch(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& fillers) {
    inner_.prefetch(rules, id, {inner_state(fillers[0]), inner_state(fillers[1])});
  }
  [[gnu::always_inline]] void prefetch(int32_t before, int32_t following) const {
    inner_.prefetch(inner_state(before), inner_state(following));
  }
  ChartJoin apply(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& fillers) {
    const ChartJoin join =
        inner_.apply(rules, id, {inner_state(fillers[0]), inner_state(fillers[1])});
    return {join.score, add({join.state, place_of(rules[id], fillers)})};
  }
  // What stands at the beginning of the sentence is bad where it is not the beginning of the reference.
  ChartJoin append(int32_t before, int32_t following) {
    const ChartJoin join = inner_.append(inner_state(before), inner_state(following));
    const Place first = before == kNothing ? Place{0, 0} : place(before);
    Place both = kBad;
    if (!first.is_bad() && !place(following).is_bad()) {
      const auto words = words_at(place(following)), rest = reference_.subspan(static_cast<size_t>(first.end));
      if (words.size() <= rest.size() && std::ranges::equal(words, rest.first(words.size()))) {
        both = {0, first.end + static_cast<int32_t>(words.size())};
      }
    }
    return {join.score, add({join.state, both})};
  }
  Key key(int32_t state) const {
    const auto& [inner, place] = at(state);
    const LmSides::Key sides = inner_.key(inner);
    return {sides[0], sides[1], sides[2], sides[3], place.begin, place.end};
  }
  double finish(int32_t state) const { return ends_ ? inner_.finish(inner_state(state)) : 0; }

  const Place& place(int32_t state) const { return at(state).place; }
  // Where these words stand first.
  Place first_place(std::span<const int32_t> words) const {
    const auto found = std::search(reference_.begin(), reference_.end(), words.begin(), words.end());
    if (found == reference_.end()) return kBad;
    const auto begin = static_cast<int32_t>(found - reference_.begin());
    return {begin, begin + static_cast<int32_t>(words.size())};
  }

 private:
  static constexpr Place kBad{-1, -1};

  struct State {
    int32_t inner;
    Place place;
  };

  int32_t add(const State& state) {
    states_.push_back(state);
    return static_cast<int32_t>(states_.size()) - 1;
  }
  const State& at(int32_t state) const { return states_[static_cast<size_t>(state)]; }
  int32_t inner_state(int32_t state) const {
    return state == kNothing ? kNothing : at(state).inner;
  }
  std::span<const int32_t> words_at(const Place& place) const {
    return reference_.subspan(static_cast<size_t>(place.begin),
                              static_cast<size_t>(place.end - place.begin));
  }
  Place place_of(const Rule& rule, const std::array<int32_t, 2>& fillers) {
    words_.clear();
    for (const int32_t symbol : rule.target) {
      if (rule.block >= 0 && is_gap(symbol)) {
        const Place& filler = place(fillers[static_cast<size_t>(symbol - kFirstGap)]);
        if (filler.is_bad()) return kBad;
        const auto words = words_at(filler);
        words_.insert(words_.end(), words.begin(), words.end());
      } else {
        words_.push_back(symbol);
      }
    }
    return first_place(words_);
  }

  LmSides inner_;
  std::span<const int32_t> reference_;
  bool ends_ = true;
  std::vector<State> states_;
  std::vector<int32_t> words_;
};

}  // namespace calque
