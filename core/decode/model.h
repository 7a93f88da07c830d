// What decoding needs of a loaded model and of a sentence. Views only; the owner is Python.
#pragma once

#include <cstdint>
#include <span>

#include "blocks/block_table.h"
#include "features/feature_set.h"
#include "lm/target_lm.h"

namespace calque {

struct ModelView {
  BlockTable blocks;
  TargetLm lm;
  const FeatureSet* features;

  const DenseSet& dense() const { return features->dense; }
  const TemplateSet& sparse() const { return features->sparse; }
};

// A source sentence and, for every word, what stands for it where it is copied.
struct SentenceView {
  std::span<const int32_t> words;
  std::span<const int32_t> copies;   // a target id, or -1 - i for the text of word i
  std::span<const uint64_t> levels;  // hashes of the words, a row each; empty without templates
  int64_t pair = -1;  // that this is the source of, in the training corpus; -1: none to leave out

  int size() const { return static_cast<int>(words.size()); }
  // A prefix, which still knows what follows it.
  SentenceView first(size_t n) const { return {words.first(n), copies.first(n), levels, pair}; }
};

}  // namespace calque
