#include "decode/derivation.h"

namespace calque {
namespace {

// Calls visit(word, step, place) for every word that a step and what fills its gaps give.
template <typename Visit>
void for_each_word(std::span<const Step> steps, int32_t id, const Visit& visit) {
  const Step& step = steps[static_cast<size_t>(id)];
  for (size_t place = 0; place < step.target.size(); ++place) {
    if (step.is_gap(place)) {
      const int32_t filler = step.gaps[static_cast<size_t>(step.target[place] - kFirstGap)];
      for_each_word(steps, filler, visit);
    } else {
      visit(step.target[place], id, static_cast<int32_t>(place));
    }
  }
}

}  // namespace

std::vector<int32_t> top_steps(std::span<const Step> steps) {
  std::vector<bool> fills(steps.size());
  for (const Step& step : steps) {
    for (const int32_t filler : step.gaps) {
      if (filler >= 0) fills[static_cast<size_t>(filler)] = true;
    }
  }
  std::vector<int32_t> top;
  for (size_t id = 0; id < steps.size(); ++id) {
    if (!fills[id]) top.push_back(static_cast<int32_t>(id));
  }
  return top;
}

std::vector<YieldWord> yield_of(std::span<const Step> steps) {
  std::vector<YieldWord> words;
  for (const int32_t id : top_steps(steps)) {
    for_each_word(steps, id, [&](int32_t word, int32_t step, int32_t place) {
      words.push_back({word, step, place});
    });
  }
  return words;
}

void append_words(std::span<const Step> steps, std::vector<int32_t>& words) {
  for (const int32_t id : top_steps(steps)) {
    for_each_word(steps, id, [&](int32_t word, int32_t, int32_t) { words.push_back(word); });
  }
}

}  // namespace calque
