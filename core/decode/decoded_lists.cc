#include "decode/decoded_lists.h"

#include <algorithm>

namespace calque {

DecodedLists flatten(const std::vector<Decoded>& decoded) {
  DecodedLists lists;
  for (const Decoded& sentence : decoded) {
    for (const Derivation& one : sentence.derivations) {
      lists.scores.push_back(one.score);
      lists.features.insert(lists.features.end(), one.features.begin(), one.features.end());
      append_words(one.steps, lists.words);
      lists.word_offsets.push_back(static_cast<int64_t>(lists.words.size()));
    }
    lists.offsets.push_back(static_cast<int64_t>(lists.scores.size()));
  }
  return lists;
}

std::vector<int32_t> used_blocks(const Decoded& decoded) {
  std::vector<int32_t> blocks;
  for (const Derivation& one : decoded.derivations) {
    for (const Step& step : one.steps) {
      if (step.block >= 0) blocks.push_back(static_cast<int32_t>(step.block));
    }
  }
  std::ranges::sort(blocks);
  blocks.erase(std::ranges::unique(blocks).begin(), blocks.end());
  return blocks;
}

}  // namespace calque
