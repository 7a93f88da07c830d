// Chart search: partial translations of all spans, bottom up, by cube pruning.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decode/chart/hypergraph.h"
#include "decode/chart/lm_sides.h"
#include "decode/chart/matches.h"
#include "decode/chart/rules.h"
#include "flat_map.h"

namespace calque {

struct ChartOptions {
  int max_span;         // words that a rule and what fills its gaps cover at most
  int shallow;          // rules with gaps that may be nested in each other; 0: any number
  int pop_limit;        // applications scored per span; 0: every one
  double threshold;     // those are not scored whose parts add up to so much less than the best; 0: all
  double time_limit_s;  // after this time the rest is translated in a hurry; 0: never
  int stack_size;       // partial translations of a span that are kept; 0: all
};

// Cells hold what spans may become (Chiang 2007, section 5). What covers the sentence up to a word is
// glued together of cells from left to right, without reordering. Its memory is reused from sentence
// to sentence. `Target` says what is known of target words, as a policy: how parts score together and
// what tells them apart. Not thread-safe: one per thread. Oracle: tests/test_chart_exact.py
// (enumeration).
template <typename Target>
class ChartSearch {
 public:
  ChartSearch(const ModelView& model, const WeightView& weights, const PrefixIndex& index,
              const TargetLimits& limits, const ChartOptions& options,
              const LeaveOneOut* leave_one_out, Target target);

  // Searches a sentence; the graph is valid until the next run. Precondition: constraints are not
  // empty, do not overlap and stand from left to right.
  const Hypergraph& run(const SentenceView& sentence, std::span<const Constraint> constraints);

  // What is known of target words: set before a run what it depends on.
  Target& target() { return target_; }
  // What the last run kept of a span, or of what covers the sentence up to a word: the best first.
  std::span<const int32_t> kept(int begin, int end) const {
    return end - begin <= width_ ? cells_[index(begin, end)].all : std::span<const int32_t>();
  }
  std::span<const int32_t> kept_prefix(int end) const {
    return prefixes_[static_cast<size_t>(end)];
  }
  // The rules that applications of the last run name.
  const RuleBook& rules() const { return rules_; }

 private:
  // What one source side offers: its target sides, and what may fill its gaps (by number), the best
  // first. Glue has what stands before in the first gap.
  struct Cube {
    int32_t first_rule;
    std::array<int32_t, 3> sizes;  // of target sides and of what fills each gap; 1 where there is none
    std::array<const int32_t*, 2> tails;
  };
  struct Item {
    double estimate;
    int32_t cube;
    std::array<int32_t, 3> at;  // the target side, and what fills each gap
    bool operator<(const Item& other) const {
      if (estimate != other.estimate) return estimate < other.estimate;
      return cube != other.cube ? cube > other.cube : at > other.at;
    }
  };
  // An item that is popped before what it becomes is known.
  struct Popped {
    double estimate;
    Application application;
  };
  // Vertices of equal key have the same future: only the best one is used.
  struct Key {
    typename Target::Key target;
    int32_t depth;
    bool operator==(const Key&) const = default;
    uint64_t hash() const {
      auto hash = static_cast<uint64_t>(depth);
      for (const int32_t number : target) {
        hash = (hash ^ static_cast<uint32_t>(number)) * 0x9e3779b97f4a7c15ULL;
      }
      return mix(hash);
    }
  };
  // Vertices of a span, the best first: all of them, and those that may fill a gap.
  struct Cell {
    std::vector<int32_t> all, in_gaps;
  };

  size_t index(int begin, int end) const {
    return static_cast<size_t>(begin * width_ + (end - begin - 1));
  }
  bool is_filled(int begin, int end) const { return !cells_[index(begin, end)].in_gaps.empty(); }

  bool is_known(int position);

  void start(const SentenceView& sentence, std::span<const Constraint> constraints);
  void fill(int begin, int end);
  void add_own(int32_t rule);
  void open_cubes(const Cube& cube);
  void glue(int end);
  void finish();
  // Pops items of the cubes best first until the limit; the vertices, the best first.
  void pop(std::vector<int32_t>& vertices);
  // Pops the best items, so many if there are.
  void pop_ahead(size_t n);
  void go_on(const Item& item);
  void replace_best(const Item& item);
  double estimate(const Cube& cube, const std::array<int32_t, 3>& at);
  void prefetch(const Application& application);
  ChartJoin join(const Application& application);
  int32_t depth(const Application& application) const;
  int32_t state(int32_t vertex) const;
  void add(const Application& application, double score, int32_t state);
  int pop_limit() const;

  Target target_;
  double glue_score_;
  ChartOptions options_;
  Matcher matcher_;
  RuleBook rules_;
  Hypergraph graph_;
  int n_words_ = 0, width_ = 0;
  std::vector<uint8_t> blocked_;
  std::vector<Cell> cells_;
  std::vector<std::vector<int32_t>> prefixes_;  // what covers the sentence up to each word
  std::vector<Cube> cubes_;
  std::vector<Item> heap_;
  std::vector<Popped> popped_;
  std::vector<std::pair<double, int32_t>> ranked_;  // scores with the other sign, and their vertices
  Interner<Key> keys_;  // of the cell being filled; id: place of the vertex
  size_t first_vertex_ = 0;
  int32_t span_begin_ = 0, span_end_ = 0;  // of that cell
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace calque
