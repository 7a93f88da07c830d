// Sparse features of a step that no option knows by itself, scored while searching.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decode/phrase/options.h"
#include "features/sparse/sparse_scorer.h"
#include "flat_map.h"

namespace calque {

// What the search knows of a step beside its option. `backward` and `forward` are orientations
// towards merged blocks: of this block, and of the one before towards this one.
struct StepContext {
  int last_end, orientation, backward, forward;
};

// Steps are scored many at a time, so that their lookups share the wait for memory; what few things
// decide is remembered within a sentence. Not thread-safe: one per thread.
class StepScorer {
 public:
  explicit StepScorer(const std::shared_ptr<const SparsePlans>& plans)
      : steps_(plans), singles_(plans) {}
  // Whether there is anything to score.
  static bool is_needed(const TemplateSet& set) {
    return set.has(Scope::kCube) || set.has(Scope::kStep);
  }
  // Whether there is more to score than what the positions decide.
  bool asks() const { return steps_.has(Scope::kStep); }

  // Forgets the sentence before.
  void begin(const OptionTable& table);
  // What the positions decide.
  float cube(const StepContext& context, int begin, int end);

  // Everything else, many steps at a time: forgets all questions; asks for a step to an option after
  // the option `previous`, -1 at the start, and after the target words `history`; the answers, in
  // the order of the questions.
  void clear() { steps_.begin(); }
  void ask(const StepContext& context, int32_t previous, std::span<const int32_t> history,
           int32_t option);
  std::span<const float> answer() { return steps_.answer(); }

 private:
  SparseScorer steps_, singles_;  // for many questions at a time, and for one
  const OptionTable* table_ = nullptr;
  KeyMap<float> cubes_;
};

}  // namespace calque
