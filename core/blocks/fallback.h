// Blocks for source words that extraction leaves without one.
#pragma once

#include <vector>

#include "blocks/corpus.h"
#include "blocks/link_counts.h"

namespace calque {

struct Partner {
  int32_t word;  // -1 where no target word occurs beside the source word
  bool linked;
};

// For each of the distinct source words the target word to translate it by: the one most often
// linked to it, or for a word that was never linked the one with the highest Dice coefficient of
// occurring in the same sentence pairs. Ties go to the smaller id.
std::vector<Partner> partners(std::span<const int32_t> words, const AlignedCorpus& corpus,
                              const LinkCounts& links);

}  // namespace calque
