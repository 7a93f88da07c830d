// The sparse features that fire in a derivation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/model.h"
#include "features/templates.h"

namespace calque {

// A sparse vector: ascending keys and how often each fired.
struct SparseVector {
  std::vector<uint64_t> keys;
  std::vector<float> counts;
};

// The features that fire in the steps of a sentence, in any order.
class FiredFeatures {
 public:
  // Precondition: the set has templates.
  FiredFeatures(const TemplateSet& set, const SentenceView& sentence) : set_(set) {
    values_.begin(set, sentence.levels);
  }

  BlockValues block(int begin, int end, std::span<const int32_t> target) const {
    return values_.block(begin, end, target);
  }
  // What the templates of a scope give in a step, which holds all that the scope needs.
  void add(Scope scope, const StepView& step) { add(scope, step, values_); }
  // The same of a step that is to be read with other values.
  void add(Scope scope, const StepView& step, const SentenceValues& values);
  // Everything that has fired; once.
  SparseVector counted();

 private:
  const TemplateSet& set_;
  SentenceValues values_;
  std::vector<uint64_t> keys_;
};

}  // namespace calque
