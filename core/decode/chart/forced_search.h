// The exhaustive search for derivations by rules that give a reference.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "blocks/prefix_index.h"
#include "decode/chart/hypergraph.h"
#include "decode/chart/matches.h"
#include "decode/chart/rules.h"
#include "decode/forced.h"
#include "flat_map.h"

namespace calque {

// Which derivations there are.
struct ChartSpace {
  int max_span;  // words that a rule and what fills its gaps cover at most
  int shallow;   // rules with gaps that may be nested in each other; 0: any number
};

// Every way to give a part of the reference: a vertex is a span of the source and an interval of the
// reference. What language models score follows from the interval, so vertices have the scores of
// their rules alone. One per thread.
class ChartForcedSearch {
 public:
  struct Interval {
    int begin, end;
  };

  // `leave_one_out`: what to leave out for sentences with a pair; null: nothing.
  ChartForcedSearch(const ModelView& model, const WeightView& weights, const PrefixIndex& index,
                    const ChartSpace& space, const ForcedLimits& limits,
                    const LeaveOneOut* leave_one_out);

  // All that gives a part of the reference; null: too large. Complete is what gives all of it. Valid
  // until the next run.
  Hypergraph* run(const SentenceView& sentence, std::span<const int32_t> reference);

  // Of the last run. What gives a prefix of the reference by a prefix of the source; -1: nothing.
  int32_t prefix(int n_source, int n_target) const { return prefixes_[place(n_source, n_target)]; }
  Interval interval(int32_t vertex) const {
    const int state = graph_[vertex].state, width = static_cast<int>(reference_.size()) + 1;
    return {state / width, state % width};
  }
  // What the language models make of the first words of the reference.
  double lm_score(int n_target) const { return lm_sums_[static_cast<size_t>(n_target)]; }
  const RuleBook& rules() const { return rules_; }

 private:
  struct Key {
    int32_t state, depth;
    bool operator==(const Key&) const = default;
    uint64_t hash() const {
      return mix(static_cast<uint64_t>(depth) << 32 | static_cast<uint32_t>(state));
    }
  };
  // Vertices of a span by their interval: all of them, and those that may fill a gap.
  struct Cell {
    std::vector<int32_t> all, in_gaps;
  };
  // A rule whose target side is walked through, filler by filler.
  struct Walk {
    int32_t id;
    const Rule* rule;
    std::array<const Cell*, 2> gaps;
    Application way;
    double score;
    int32_t depth;
    int begin;  // in the reference
  };

  size_t place(int n_source, int n_target) const {
    return static_cast<size_t>(n_source) * (reference_.size() + 1) + static_cast<size_t>(n_target);
  }
  int32_t state(int begin, int end) const { return static_cast<int32_t>(place(begin, end)); }
  Cell& cell(int begin, int end) {
    return cells_[static_cast<size_t>(begin) * static_cast<size_t>(width_) +
                  static_cast<size_t>(end - begin - 1)];
  }
  bool is_known(int position);
  void start(const SentenceView& sentence, std::span<const int32_t> reference);
  void add_lm(const TargetLm& lm, float weight);
  void fill(int begin, int end);
  void try_rule(int32_t id, const std::array<const Cell*, 2>& gaps);
  void go_on(Walk walk, size_t at, int position);
  std::span<const int32_t> beginning_at(const Cell& cell, int position) const;
  void add(const Application& way, double score, const Key& key);
  void glue(int end);
  bool is_too_large() const;

  ModelView model_;
  ChartLmWeights lm_weights_;
  double glue_score_ = 0;
  ChartSpace space_;
  ForcedLimits limits_;
  Matcher matcher_;
  RuleBook rules_;
  Hypergraph graph_;
  std::span<const int32_t> reference_;
  int n_words_ = 0, width_ = 0;
  std::vector<uint8_t> blocked_;
  std::vector<Cell> cells_;
  std::vector<int32_t> prefixes_;  // by source and target words
  std::vector<double> lm_sums_;    // of the first words of the reference; the last: with its end
  Interner<Key> keys_;             // of the cell being filled; id: place of the vertex
  size_t first_vertex_ = 0;
  int32_t span_begin_ = 0, span_end_ = 0;
};

}  // namespace calque
