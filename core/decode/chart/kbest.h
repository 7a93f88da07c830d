// The k best derivations of a hypergraph, lazily and in exact order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "decode/chart/hypergraph.h"
#include "decode/chart/rules.h"

namespace calque {

// A rule in a derivation, and where those stand that fill its gaps; -1: none.
struct AppliedRule {
  int32_t rule;
  int32_t begin, end;
  std::array<int32_t, 2> gaps;
};

// Algorithm 3 of Huang & Chiang (2005): the ranks of a vertex are computed only when one above asks
// for them. With `distinct`, ways to a vertex that give the same words count once, at every vertex:
// all but the best of them can never lead to the best derivation of a string. Oracle:
// tests/test_chart_exact.py (enumeration).
class ChartKBest {
 public:
  ChartKBest(const Hypergraph& graph, const RuleBook& rules, bool distinct);

  // Finds the next derivation: its rules, those that are glued together from left to right and each
  // before those in its gaps; and its score. False: there is none.
  bool next(std::vector<AppliedRule>& rules, double& score);
  // The best way to one vertex, in this order.
  void best(int32_t vertex, std::vector<AppliedRule>& rules);

 private:
  // The words of a derivation by their hash, and what it multiplies that of a prefix by.
  struct Words {
    uint64_t hash = 0, factor = 1;
    void append(const Words& other) {
      hash = hash * other.factor + other.hash;
      factor *= other.factor;
    }
  };
  // An application with the `ranks`-th best of what is below it.
  struct Way {
    double score;
    Words words;
    int32_t edge;  // kBest: the best one
    std::array<int32_t, 2> ranks;
    bool operator<(const Way& other) const {  // ties: fewer ranks down, then earlier edges
      if (score != other.score) return score < other.score;
      const int32_t sum = ranks[0] + ranks[1], other_sum = other.ranks[0] + other.ranks[1];
      if (sum != other_sum) return sum > other_sum;
      return edge != other.edge ? edge > other.edge : ranks > other.ranks;
    }
  };
  struct Node {
    std::vector<Way> found;       // best first
    std::vector<Way> candidates;  // a heap
    bool is_opened = false;
    Way last{};  // of `found` or repeated: those next to it are not candidates yet
    bool has_last = false;
  };
  // A translation of the sentence: a rank of a complete vertex.
  struct End {
    double score;
    int32_t complete, rank;
    bool operator<(const End& other) const {
      if (score != other.score) return score < other.score;
      return rank != other.rank ? rank > other.rank : complete > other.complete;
    }
  };
  static constexpr int32_t kBest = -1;

  const Application& application(int32_t vertex, int32_t edge) const {
    return edge == kBest ? graph_[vertex].best : graph_.edge(edge).way;
  }
  bool is_made(int32_t vertex) const { return node_of_[static_cast<size_t>(vertex)] >= 0; }
  Node& node(int32_t vertex);
  void make(int32_t vertex);
  // Whether the vertex has a way of this rank, which is then in `found`.
  bool find(int32_t vertex, int32_t rank);
  // Whether it is known if the vertex has a way of this rank.
  bool is_settled(int32_t vertex, int32_t rank);
  // What must be settled before what comes next to a way is known.
  std::optional<std::pair<int32_t, int32_t>> unsettled_below(int32_t vertex, const Way& way);
  void open(int32_t vertex);
  void add_next_to(int32_t vertex, const Way& way);
  Words words_of(const Application& application, const std::array<int32_t, 2>& ranks);
  void push_end(int32_t complete, int32_t rank);
  std::pair<Application, std::array<int32_t, 2>> way_of(int32_t vertex, int32_t rank);
  void restore_glue(int32_t vertex, int32_t rank, std::vector<AppliedRule>& rules);
  int32_t restore(int32_t vertex, int32_t rank, std::vector<AppliedRule>& rules);

  const Hypergraph& graph_;
  const RuleBook& rules_;
  bool distinct_;
  std::vector<int32_t> node_of_;  // by vertex; -1: not visited
  std::vector<Node> nodes_;
  std::vector<End> ends_;  // a heap
  End last_end_{0, -1, 0};
  std::vector<uint64_t> seen_;
  std::vector<std::pair<int32_t, int32_t>> glued_;  // vertices and ranks
  std::vector<std::pair<int32_t, int32_t>> asked_;  // by `find`: vertices and ranks
  std::vector<int32_t> to_make_;
};

}  // namespace calque
