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
  const EventCounts& events() const { return features->events; }

  // Whether this is neither a target word that every part of the model knows nor, below 0, a text.
  bool is_outside(int32_t target) const {
    const auto& classes = dense().class_lm;
    if (lm.is_outside(target) || (classes && classes->lm.is_outside(target))) return true;
    return !sparse().empty() && target >= 0 &&
           static_cast<size_t>(target) >= sparse().n_target_words();
  }
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
