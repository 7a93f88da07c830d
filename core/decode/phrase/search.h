// Beam search over coverage, in stacks by the number of translated source words.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decode/phrase/completion.h"
#include "decode/phrase/graph.h"
#include "decode/phrase/merged.h"
#include "decode/phrase/options.h"
#include "decode/phrase/reordering.h"
#include "decode/phrase/step_scorer.h"
#include "decode/phrase/target.h"

namespace calque {

struct SearchOptions {
  ReorderingRules reordering;
  int stack_size;          // hypotheses kept per stack; 0: all
  int pop_limit;           // cells of the cubes scored per stack; 0: every one
  float threshold;         // hypotheses worse than the stack's best by more are cut; 0: none
  bool threshold_on_score; // .. by their scores alone, whatever is still to come
  bool future_cost;        // rank hypotheses by what is still to come, too
  int64_t max_bytes;       // give up where the search needs more memory; 0: never
  double time_limit_s;     // after this time the rest is translated in a hurry; 0: never
  // The score of a step is the log probability of its block among the options of its span: what each
  // would have added, normalised. What all of them share cancels (Tillmann & Zhang 2005).
  bool normalises;

  OptionUse option_use() const { return {reordering.least_left_count, normalises}; }
};

// Hypotheses of equal key have the same future: only the best one is extended.
struct RecombinationKey {
  int32_t place, target, next_class;
  bool operator==(const RecombinationKey&) const = default;
  uint64_t hash() const {
    return mix(mix(static_cast<uint64_t>(place) << 32 | static_cast<uint32_t>(target)) ^
               static_cast<uint64_t>(next_class));
  }
};

// One engine for every mode of decoding: `Target` says which words may follow and how they score
// (target.h), `ReorderingRules` which spans may. Its memory is reused from sentence to sentence.
// Not thread-safe: one per thread. Oracle: tests/test_decode_exact.py (enumeration).
template <typename Target>
class Search {
 public:
  Search(const FeatureSet& features, const WeightView& weights, const SearchOptions& options,
         Target target)
      : dense_(&features.dense),
        weights_(weights),
        distance_weight_(features.dense.distance_weight(weights.dense)),
        options_(options),
        target_(std::move(target)),
        avoids_dead_ends_(options.reordering.has_dead_ends() && Target::completes()) {
    if (weights.sparse != nullptr && StepScorer::is_needed(features.sparse)) {
      steps_.emplace(weights.sparse);
      asks_ = steps_->asks();
    }
    const auto has = [&](Scope scope) {
      return weights.sparse != nullptr && features.sparse.has(scope);
    };
    const bool backward = features.dense.scores_merged(weights.dense, false) || has(Scope::kBackward);
    const bool forward = features.dense.scores_merged(weights.dense, true) || has(Scope::kForward);
    scores_merged_ = backward || forward;
    merges_ = backward || (asks_ && features.sparse.needs(kNeedsBackward));
  }

  // What the sentences that come are to become, where that differs from one to the other.
  void set_target(Target target) { target_ = std::move(target); }
  Target& target() { return target_; }
  const Target& target() const { return target_; }

  // Searches the sentence of the table; the graph is valid until the next run.
  const SearchGraph& run(const OptionTable& table);
  // The hypotheses of the last run that cover so many words and were not pruned, in no order; those
  // that cover every word are not pruned at all.
  std::span<const int32_t> stack(int n_covered) const {
    return stacks_[static_cast<size_t>(n_covered)];
  }
  // What the words that are not covered will add in the sentence of the last run, by the estimate that
  // hypotheses are ranked with, reordering included; 0 where they are not.
  float future(const Coverage& covered, int last_end) const;

 private:
  // Hypotheses at one place (best first) times the options of one free span.
  struct Cube {
    std::span<const int32_t> hypotheses;
    std::span<const Option> options;
    int32_t place;  // after the step
    StepContext context;
    float step_score;  // of the jump, the same for every cell
    float future;      // after the step

    bool allows(size_t column) const {
      return context.orientation != kSwap || options[column].may_follow_left;
    }
    // The first column from this one on that is allowed; behind the last one: none is.
    int32_t next_allowed(int32_t column) const {
      auto at = static_cast<size_t>(column);
      while (at < options.size() && !allows(at)) ++at;
      return static_cast<int32_t>(at);
    }
  };
  struct Cell {
    double estimate;
    int32_t cube, row, column;
    float log_sum;  // of the row: see `add_up_row`
    bool operator<(const Cell& other) const {
      if (estimate != other.estimate) return estimate < other.estimate;
      if (cube != other.cube) return cube > other.cube;
      return row != other.row ? row > other.row : column > other.column;
    }
  };
  // A step that the target side allows.
  struct Extension {
    const Cube* cube;
    int32_t from, option;
    TargetStep step;
    float log_sum;
  };
  using Stack = std::vector<int32_t>;

  void start(int n_words);
  void fill(int n_covered);
  void fill_looking_ahead(const std::vector<Cube>& cubes, Stack& stack);
  void open_row(const std::vector<Cube>& cubes, int32_t cube, int32_t row);
  float add_up_row(const Cube& cube, int32_t from);
  void push(const std::vector<Cube>& cubes, int32_t cube, int32_t row, int32_t column,
            float log_sum);
  double score_without_target(const Cube& cube, const Hypothesis& from,
                              const Option& option) const;
  void extend(const std::vector<Cube>& cubes, Stack& stack);
  void add(const Hypothesis& hypothesis, int32_t next_class, Stack& stack);
  void prune(Stack& stack) const;
  void open_cubes(const Stack& stack);
  void open_cubes_at(const Place& place, std::span<const int32_t> hypotheses);
  int32_t add_context(const Place& place, const Coverage& covered, int begin, int end, Cube& cube);
  void finish_sentence();
  int pop_limit() const;
  void check_memory();
  float known_future(int32_t coverage, int last_end) const;
  float jumps_to_come(const Coverage& covered, int last_end) const;
  int32_t intern(const Coverage& coverage);

  const DenseSet* dense_;
  WeightView weights_;
  double distance_weight_;
  SearchOptions options_;
  Target target_;
  std::optional<StepScorer> steps_;  // where there are sparse features of steps
  bool asks_ = false;                // whether these depend on more than positions
  bool merges_ = false;              // whether features ask for the blocks merged so far
  bool scores_merged_ = false;       // whether options have scores of orientations towards merged blocks
  MergedBlocks merged_;
  bool avoids_dead_ends_ = false;
  Completion completion_;
  const OptionTable* table_ = nullptr;
  SearchGraph graph_;
  std::vector<Stack> stacks_;
  std::vector<std::vector<Cube>> cubes_;  // by the number of words covered after the step
  size_t n_cubes_ = 0;
  std::vector<Cell> heap_, popped_;
  std::vector<double> ahead_, row_;
  std::vector<Extension> extensions_;
  std::vector<float> futures_;       // of each coverage
  Interner<RecombinationKey> keys_;  // of the stack being filled; id: position in the stack
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace calque
