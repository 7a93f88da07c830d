#include "decode/decoded_lists.h"

#include <algorithm>

namespace calque {

DecodedLists flatten(const std::vector<Decoded>& decoded) {
  DecodedLists lists;
  for (const Decoded& sentence : decoded) {
    for (const Derivation& derivation : sentence.derivations) {
      lists.scores.push_back(derivation.score);
      lists.features.insert(lists.features.end(), derivation.features.begin(), derivation.features.end());
      append_words(derivation.steps, lists.words);
      lists.word_offsets.push_back(static_cast<int64_t>(lists.words.size()));
    }
    lists.offsets.push_back(static_cast<int64_t>(lists.scores.size()));
  }
  return lists;
}

std::vector<int32_t> used_blocks(const Decoded& decoded) {
  std::vector<int32_t> blocks;
  for (const Derivation& derivation : decoded.derivations) {
    for (const Step& step : derivation.steps) {
      if (step.block >= 0) blocks.push_back(static_cast<int32_t>(step.block));
    }
  }
  std::ranges::sort(blocks);
  blocks.erase(std::ranges::unique(blocks).begin(), blocks.end());
  return blocks;
}

}  // namespace calque
