// A set of dense features as data: which numbers a step of a derivation adds to which component.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blocks/orientation.h"
#include "lm/target_lm.h"

namespace calque {

// Every component has an `index`: its place in vectors of values and of weights. Values are
// natural-log probabilities or counts; scores are maximised.

// What leaving a pair of the training corpus out of the counts adds to ln p(source | target) and to
// ln p(target | source) of a block (decode/leave_one_out.h).
using FrequencyChange = std::array<float, 2>;

// In which steps a component counts. Adjacent: the block lies to the right or to the left of the one
// before (monotone, swap); neutral: anywhere else (discontinuous). In others its value is 0.
enum class Steps { kAll, kAdjacent, kNeutral };
inline bool counts_in(Steps steps, int orientation) {
  return steps == Steps::kAll || (steps == Steps::kNeutral) == (orientation == kDiscontinuous);
}

// One column of a table with a row per block.
struct BlockColumn {
  // Whether it is a relative frequency, and of which kind.
  enum class Frequency { kNone, kSourceGivenTarget, kTargetGivenSource };

  size_t index;
  std::span<const float> values;  // rows of `width`
  size_t width, column;
  float copied;  // what a copied word has; a required target has 0
  Frequency frequency;
  Steps steps;

  float at(int64_t block) const { return values[static_cast<size_t>(block) * width + column]; }
  float change(const FrequencyChange& change) const {
    if (frequency == Frequency::kNone) return 0;
    return change[frequency == Frequency::kTargetGivenSource];
  }
};

// A column chosen by the orientation between a block and its neighbour in the target, or what that is
// merged with (decode/merged.h).
struct OrientationColumn {
  size_t index;
  std::span<const float> values;
  size_t width;
  std::array<int, 3> columns;  // of monotone, swap, discontinuous; -1: the value is 0
  std::array<float, 3> copied;
  bool next;  // towards what comes after it, else towards what comes before

  float at(int64_t block, size_t orientation) const {
    const int column = columns[orientation];
    if (column < 0) return 0;
    return values[static_cast<size_t>(block) * width + static_cast<size_t>(column)];
  }
};

struct CountComponent {
  // Glue counts blocks that are in no gap of another one: they follow each other.
  enum class Of { kWords, kBlocks, kUnknown, kGlue };
  size_t index;
  Of of;
  double sign;  // -1: a penalty

  // `is_copy`: a word that is copied because no block knows it.
  double of_rule(size_t n_words, bool is_copy) const {
    if (of == Of::kWords) return sign * static_cast<double>(n_words);
    return of == Of::kBlocks || (of == Of::kUnknown && is_copy) ? sign : 0;
  }
  double of_glue() const { return of == Of::kGlue ? sign : 0; }
  // Of a block that is in no gap, as all are where there are none.
  double at(size_t n_words, bool is_copy) const { return of_rule(n_words, is_copy) + of_glue(); }
};

// The log probability of the target words: of those that begin a block, of the others, or of both.
// The end of the sentence begins no block, and follows as if it were adjacent.
struct LmComponent {
  size_t index;
  bool first, rest;
  Steps steps;
};
// The weight of the log probability of words that begin a block, and of others.
struct LmWeights {
  double first, rest;
};

// The same for the classes of the words, under a model of their own.
struct ClassLm {
  size_t index;
  TargetLm lm;
};

// Minus the source words jumped over.
struct DistanceComponent {
  size_t index;
};

// The log probability of the jump from the block before to this one.
struct JumpTable {
  enum class Row { kOnly, kInbound, kOutbound };
  size_t index;
  std::span<const float> values;  // rows of 2 * clip + 1
  int clip, shift;                // the jump is begin - last_end + shift, clipped
  Row row;  // the only one; that of the first word of this block; of the last word of the one before

  // Row 0 is that of words without a row, the last one that of the start of the sentence.
  float at(std::span<const int32_t> source, int last_end, int begin) const {
    const int jump = std::clamp(begin - last_end + shift, -clip, clip);
    const auto width = static_cast<size_t>(2 * clip + 1);
    const size_t n_rows = values.size() / width;
    size_t at = 0;
    if (row == Row::kInbound) at = static_cast<size_t>(source[static_cast<size_t>(begin)]);
    if (row == Row::kOutbound) {
      at = last_end == 0 ? n_rows - 1 : static_cast<size_t>(source[static_cast<size_t>(last_end - 1)]);
    }
    if (at >= n_rows) at = 0;
    return values[at * width + static_cast<size_t>(jump + clip)];
  }
};

// The components by kind: each stage of decoding goes through its own. A view; the arrays must
// outlive it. Oracle: tests/test_decode_exact.py.
struct DenseSet {
  std::vector<std::string> names;
  std::vector<BlockColumn> block_columns;
  std::vector<OrientationColumn> orientation_columns;
  std::vector<OrientationColumn> merged_columns;  // towards merged blocks
  std::vector<CountComponent> counts;
  std::vector<LmComponent> lms;
  std::optional<ClassLm> class_lm;
  std::vector<DistanceComponent> distances;
  std::vector<JumpTable> jumps;

  size_t size() const { return names.size(); }
  // The place of the next component, which is called `name`.
  size_t add(const std::string& name) {
    names.push_back(name);
    return names.size() - 1;
  }

  // The weights of the language model in steps of an orientation, and whether it matters which.
  LmWeights lm_weights(std::span<const double> weights, Orientation orientation) const {
    LmWeights sum{0, 0};
    for (const LmComponent& lm : lms) {
      if (!counts_in(lm.steps, orientation)) continue;
      if (lm.first) sum.first += weights[lm.index];
      if (lm.rest) sum.rest += weights[lm.index];
    }
    return sum;
  }
  bool splits_lm() const {
    return std::ranges::any_of(lms, [](const LmComponent& lm) { return lm.steps != Steps::kAll; });
  }
  // Whether orientations towards merged blocks behind a block (`next`) or before it have a weight.
  bool scores_merged(std::span<const double> weights, bool next) const {
    return std::ranges::any_of(merged_columns, [&](const OrientationColumn& column) {
      return column.next == next && weights[column.index] != 0;
    });
  }
  double distance_weight(std::span<const double> weights) const {
    double sum = 0;
    for (const DistanceComponent& distance : distances) sum += weights[distance.index];
    return sum;
  }

  // What the components that depend on source positions alone add, weighted.
  double score_jump(std::span<const double> weights, std::span<const int32_t> source, int last_end,
                    int begin) const {
    double sum = 0;
    for (const DistanceComponent& distance : distances) {
      sum -= weights[distance.index] * std::abs(begin - last_end);
    }
    for (const JumpTable& jump : jumps) {
      sum += weights[jump.index] * static_cast<double>(jump.at(source, last_end, begin));
    }
    return sum;
  }
};

}  // namespace calque
