// The translation graph: every derivation that a search found, as paths from its start to an end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/phrase/derivations.h"

namespace calque {

struct TranslationGraph {
  struct Node {
    Coverage coverage;
    double score;   // of the best path to here
    bool complete;  // a translation ends here; the score includes the end of the sentence
  };
  struct Edge {
    int32_t from, to;
    Step step;
    double score;  // what the step adds; a path's edges add up to its derivation's score
  };
  std::vector<Node> nodes;  // a node comes after those that lead to it; the start is the first
  std::vector<Edge> edges;  // by the node they lead to, the best one first
};

// Which hypotheses lie on a way to one of these.
std::vector<bool> on_ways_to(const SearchGraph& graph, std::span<const int32_t> ends);

// The part of a search graph that leads to complete translations.
// Oracle: tests/test_decode_graph.py (enumeration).
TranslationGraph translation_graph(const SearchGraph& graph, const OptionTable& table);

}  // namespace calque
