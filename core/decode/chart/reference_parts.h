// The reference of a sentence, as forced decoding by rules asks for its parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "blocks/gaps.h"

namespace calque {

class ReferenceParts {
 public:
  explicit ReferenceParts(std::span<const int32_t> words) : words_(words) {}

  // Whether the own words of a rule stand in the reference, in the order of its target side and side
  // by side where no gap is between them, with a word at least for every gap.
  bool may_have(std::span<const int32_t> target) const {
    auto from = words_.begin();
    for (size_t at = 0; at < target.size();) {
      if (is_gap(target[at])) {
        if (from == words_.end()) return false;
        ++from;
        ++at;
        continue;
      }
      const auto run = target.subspan(at);
      const auto end = std::ranges::find_if(run, [](int32_t symbol) { return is_gap(symbol); });
      const auto found = std::search(from, words_.end(), run.begin(), end);
      if (found == words_.end()) return false;
      from = found + (end - run.begin());
      at += static_cast<size_t>(end - run.begin());
    }
    return true;
  }

 private:
  std::span<const int32_t> words_;
};

}  // namespace calque
