// Translation that knows whether its words are the beginning of a reference.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "decode/phrase/target.h"
#include "flat_map.h"

namespace calque {

// Any words may follow, as for `Inner`. How many words of a reference were given, and no others, is
// part of the state: hypotheses that may still give the reference are never recombined with ones that
// cannot (Yu et al. 2013, section 4).
template <typename Inner>
class WatchedTarget {
 public:
  static constexpr int32_t kBad = -1;

  explicit WatchedTarget(Inner inner) : inner_(std::move(inner)) {}

  // The reference of the sentences that come, which outlives them; `ends`: whether the end of the
  // sentence is scored, which is so for all but prefixes.
  void watch(std::span<const int32_t> reference, bool ends) {
    reference_ = reference;
    ends_ = ends;
  }

  int32_t begin() {
    states_.clear();
    return states_.intern({inner_.begin(), 0});
  }
  TargetStep step(int32_t state, const Option& option, int32_t id, int orientation) {
    const State from = states_[state];
    TargetStep step = inner_.step(from.inner, option, id, orientation);
    if (step.state == kRefused) return step;
    step.state = states_.intern({step.state, extend(from.n_words, option.target)});
    return step;
  }
  static constexpr bool has_future(const Coverage&, int, int32_t) { return true; }
  static constexpr bool completes() { return true; }
  static constexpr bool looks_ahead() { return false; }
  bool ends() const { return ends_; }
  double finish(int32_t state) const { return ends_ ? inner_.finish(states_[state].inner) : 0; }
  std::span<const int32_t> history(int32_t state) const {
    return inner_.history(states_[state].inner);
  }

  // How many words of the reference a state has given; kBad: others.
  int32_t n_words(int32_t state) const { return states_[state].n_words; }

 private:
  struct State {
    int32_t inner, n_words;
    bool operator==(const State&) const = default;
    uint64_t hash() const {
      return mix(static_cast<uint64_t>(inner) << 32 | static_cast<uint32_t>(n_words));
    }
  };

  int32_t extend(int32_t n_words, std::span<const int32_t> words) const {
    if (n_words == kBad) return kBad;
    const auto rest = reference_.subspan(static_cast<size_t>(n_words));
    const bool goes_on = words.size() <= rest.size() &&
                         std::ranges::equal(words, rest.first(words.size()));
    return goes_on ? n_words + static_cast<int32_t>(words.size()) : kBad;
  }

  Inner inner_;
  std::span<const int32_t> reference_;
  bool ends_ = true;
  Interner<State> states_;
};

}  // namespace calque
