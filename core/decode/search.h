// Beam search over coverage, in stacks by the number of translated source words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/coverage.h"
#include "decode/dense.h"
#include "decode/options.h"
#include "flat_map.h"
#include "lm/language_model.h"

namespace calque {

struct SearchOptions {
  int distortion_limit = 6;  // most words between the end of a block and the start of the next; -1: any
  int stack_size = 200;      // hypotheses kept per stack; 0: all
  int pop_limit = 400;       // cells of the cubes scored per stack; 0: every one
  float threshold = 0;       // hypotheses worse than the best of the stack by more are cut; 0: none
};

// A way to reach a hypothesis: the best one is stored in the hypothesis, the others follow as arcs.
struct Arc {
  double score;  // of the whole partial translation that ends with this step
  int32_t previous;
  int32_t option;
  int32_t next_arc;
};

struct Hypothesis {
  double score;
  float future;
  int32_t previous;   // -1 at the start
  int32_t option;     // -1 at the start
  int32_t place;      // coverage and span of the last block
  int32_t lm_state;
  int32_t next_arc;   // other ways to the same state, -1 if none

  double total() const { return score + future; }
};

// The part of the state that decides where a hypothesis may go on.
struct Place {
  int32_t coverage;
  int32_t last_begin, last_end;
  bool operator==(const Place&) const = default;
  uint64_t hash() const {
    return mix(mix(static_cast<uint64_t>(coverage) << 32 | static_cast<uint32_t>(last_begin)) ^
               static_cast<uint64_t>(last_end));
  }
};

// Hypotheses of equal key have the same future: only the best one is extended.
struct RecombinationKey {
  int32_t place, lm_state, next_class;
  bool operator==(const RecombinationKey&) const = default;
  uint64_t hash() const {
    return mix(mix(static_cast<uint64_t>(place) << 32 | static_cast<uint32_t>(lm_state)) ^
               static_cast<uint64_t>(next_class));
  }
};

// One search engine with its memory, which is reused from sentence to sentence. Not thread-safe:
// one per thread. Oracle: tests/test_decode_exact.py (enumeration).
class Search {
 public:
  Search(const ModelView& model, const DenseVector& weights, const SearchOptions& options)
      : model_(model), weights_(weights), options_(options) {}

  // Searches the sentence; afterwards `best()` and the graph are there.
  void run(std::span<const int32_t> source, const OptionTable& table);

  // The best complete hypothesis. A sentence of no words has the start itself.
  int32_t best() const { return best_; }
  const Hypothesis& operator[](int32_t id) const { return hypotheses_[static_cast<size_t>(id)]; }
  const Arc& arc(int32_t id) const { return arcs_[static_cast<size_t>(id)]; }
  // Complete hypotheses, best first; their scores include the end of the sentence.
  std::span<const int32_t> complete() const { return stacks_.back(); }
  // Steps generated: the cost of the search, independent of threads.
  int64_t n_generated() const { return n_generated_; }

 private:
  // Hypotheses at one place (best first) times the options of one free span.
  struct Cube {
    std::span<const int32_t> hypotheses;
    std::span<const Option> options;
    int32_t place;        // after the step
    int orientation;
    float step_score;     // distance, the same for every cell
    float future;         // after the step
  };
  struct Cell {
    double estimate;
    int32_t cube;
    int32_t row, column;
    bool operator<(const Cell& other) const {
      if (estimate != other.estimate) return estimate < other.estimate;
      if (cube != other.cube) return cube > other.cube;
      return row != other.row ? row > other.row : column > other.column;
    }
  };
  struct LmStep {
    float score;
    int32_t state;
  };

  void start(int n_words);
  void fill(int n_covered);
  void prune(std::vector<int32_t>& stack) const;
  void open_cubes(std::span<const int32_t> stack);
  void open_cubes_at(const Place& place, std::span<const int32_t> hypotheses);
  void push(const std::vector<Cube>& cubes, int32_t cube, int32_t row, int32_t column);
  void extend(const Cell& cell, std::vector<int32_t>& stack);
  void add(std::vector<int32_t>& stack, const Hypothesis& hypothesis, int32_t next_class);
  LmStep lm_step(int32_t state, const Option& option);
  void finish_sentence();
  int32_t intern(const Coverage& coverage);
  bool may_jump(const Place& place, const Coverage& coverage, int begin, int end) const;

  ModelView model_;
  DenseVector weights_;
  SearchOptions options_;
  const OptionTable* table_ = nullptr;

  std::vector<Hypothesis> hypotheses_;
  std::vector<Arc> arcs_;
  std::vector<std::vector<int32_t>> stacks_;
  std::vector<std::vector<Cube>> cubes_;  // by the number of words covered after the step
  std::vector<Cell> heap_;
  Interner<Coverage> coverages_;
  std::vector<float> futures_;  // of each coverage
  Interner<Place> places_;
  Interner<LmState> lm_states_;
  KeyMap<LmStep> lm_steps_;     // by (state, option)
  Interner<RecombinationKey> keys_;  // of the stack being filled; id: position in the stack
  int32_t best_ = -1;
  int64_t n_generated_ = 0;
};

}  // namespace calque
