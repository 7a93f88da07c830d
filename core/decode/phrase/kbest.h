// The k best derivations of a search graph, lazily and in exact order.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "decode/phrase/graph.h"
#include "decode/phrase/options.h"

namespace calque {

// Enumerates the ways to hypotheses best first, computing the ranks of a hypothesis only when a
// later one asks for them. With `distinct`, ways to a hypothesis that give the same words count
// once, at every hypothesis: all but the best of them can never lead to the best derivation of a
// string. Oracle: tests/test_decode_exact.py (enumeration).
class KBest {
 public:
  KBest(const SearchGraph& graph, const OptionTable& table, bool distinct);

  // Finds the next derivation: its steps in target order and its score. False: there is none.
  bool next(std::vector<GraphStep>& steps, double& score);

 private:
  // The `rank`-th best way to the predecessor, then one step.
  struct Way {
    double score;
    uint64_t words;
    int32_t previous, option;
    int32_t rank;
    bool operator<(const Way& other) const {  // ties: fewer ranks down, then earlier hypotheses
      if (score != other.score) return score < other.score;
      if (rank != other.rank) return rank > other.rank;
      return previous != other.previous ? previous > other.previous : option > other.option;
    }
  };
  struct Node {
    std::vector<Way> found;       // best first
    std::vector<Way> candidates;  // a heap
    bool opened = false;
    Way last{};  // of `found` or repeated: the one next to it is not a candidate yet
    bool has_last = false;
  };

  Node& node(int32_t hypothesis);
  // Whether the hypothesis has a way of this rank, which is then in `found`.
  bool find(int32_t hypothesis, int32_t rank);
  // Whether it is known if the hypothesis has a way of this rank.
  bool is_settled(int32_t hypothesis, int32_t rank);
  void open(Node& node, const Hypothesis& hypothesis) const;
  // The ranks of the predecessor are settled.
  void add_next_to(int32_t hypothesis, Way way);
  bool is_repeated(const Node& node, uint64_t words) const;
  void restore(int32_t hypothesis, int32_t rank, std::vector<GraphStep>& steps);

  const SearchGraph& graph_;
  const OptionTable& table_;
  bool distinct_;
  std::vector<int32_t> node_of_;  // by hypothesis; -1: not visited
  std::vector<Node> nodes_;
  std::vector<Way> ends_;  // a heap over the complete hypotheses; `previous` is the hypothesis
  std::vector<uint64_t> seen_;
  std::vector<std::pair<int32_t, int32_t>> asked_;  // by `find`: hypotheses and ranks
};

}  // namespace calque
