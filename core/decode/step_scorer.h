// Sparse features of a step that no option knows by itself, scored while searching.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/options.h"
#include "features/sparse_scorer.h"
#include "flat_map.h"

namespace calque {

// What the search knows of a step beside its option. `backward` and `forward` are orientations
// towards merged blocks: of this block, and of the one before towards this one.
struct StepContext {
  int last_end, orientation, backward, forward;
};

// The target words before a step: equal ids for equal words.
struct TargetHistory {
  int32_t id = 0;
  std::span<const int32_t> words;  // the last one last
};

// Remembers, within a sentence, what each group of templates gave for what it looks at. Not
// thread-safe: one per thread.
class StepScorer {
 public:
  StepScorer(const TemplateSet& set, const SparseTable& weights);
  // Whether there is anything to score.
  static bool is_needed(const TemplateSet& set) {
    return std::ranges::any_of(kScopes, [&](Scope scope) { return set.has(scope); });
  }
  // The weights of what is scored here and hardly any other.
  static SparseTable weights_of(const TemplateSet& set, const SparseTable& weights);

  void begin(const OptionTable& table);
  // What only the positions decide.
  float cube(int last_end, int begin, int end);
  // Everything else of a step after the option `previous`, -1 at the start.
  float step(const StepContext& context, int32_t previous, const TargetHistory& history,
             int32_t option);
  // What the orientation of an option towards what follows it adds.
  float forward(int32_t option, int orientation);

 private:
  static constexpr std::array kScopes{Scope::kCube, Scope::kStep, Scope::kForward};

  // Groups of templates that look at the same parts of the context.
  struct Part {
    uint32_t needs;
    std::vector<const TemplateGroup*> groups;
    KeyMap<float> known;
  };

  struct Missing {
    Part* part;
    uint64_t key;
    size_t end;  // of its keys
  };
  uint64_t part_key(const Part& part, const StepContext& context, int32_t previous,
                    const TargetHistory& history, int32_t id) const;

  SparseScorer scorer_;
  const OptionTable* table_ = nullptr;
  std::vector<Part> parts_;
  std::vector<Missing> missing_;
  KeyMap<float> cubes_, forwards_;
};

}  // namespace calque
