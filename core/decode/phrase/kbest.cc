#include "decode/phrase/kbest.h"

#include <algorithm>

#include "interrupt.h"

namespace calque {

KBest::KBest(const SearchGraph& graph, const OptionTable& table, bool distinct)
    : graph_(graph), table_(table), distinct_(distinct), node_of_(graph.hypotheses.size(), -1) {
  for (const int32_t id : graph.complete) {
    ends_.push_back({graph[id].score, graph[id].words, id, -1, 0});
  }
  std::make_heap(ends_.begin(), ends_.end());
}

bool KBest::next(std::vector<GraphStep>& steps, double& score) {
  while (!ends_.empty()) {
    end_if_interrupted();  // lists may be as long as there are derivations
    std::pop_heap(ends_.begin(), ends_.end());
    Way way = ends_.back();
    ends_.pop_back();
    const int32_t end = way.previous, rank = way.rank;
    score = way.score;
    const bool repeated = distinct_ && std::ranges::find(seen_, way.words) != seen_.end();
    if (!repeated) {
      seen_.push_back(way.words);
      restore(end, rank, steps);
    }
    if (find(end, rank + 1)) {
      const Way& following = node(end).found[static_cast<size_t>(rank) + 1];
      ends_.push_back({following.score, following.words, end, -1, rank + 1});
      std::push_heap(ends_.begin(), ends_.end());
    }
    if (!repeated) return true;
  }
  return false;
}

KBest::Node& KBest::node(int32_t hypothesis) {
  int32_t& index = node_of_[static_cast<size_t>(hypothesis)];
  if (index < 0) {
    index = static_cast<int32_t>(nodes_.size());
    const Hypothesis& at = graph_[hypothesis];
    nodes_.emplace_back();
    nodes_.back().found.push_back({at.score, at.words, at.previous, at.option, 0});
  }
  return nodes_[static_cast<size_t>(index)];
}

// Hypotheses before are asked first where their ranks are needed, but not by recursion, which would
// go as deep as the derivation has steps.
bool KBest::find(int32_t hypothesis, int32_t rank) {
  asked_.emplace_back(hypothesis, rank);
  while (!asked_.empty()) {
    const auto [at, wanted] = asked_.back();
    if (is_settled(at, wanted)) {
      asked_.pop_back();
      continue;
    }
    // `nodes_` may grow while predecessors are asked: never hold a reference across that.
    if (!node(at).opened) open(node(at), graph_[at]);
    if (node(at).has_last) {
      const Way last = node(at).last;
      if (!is_settled(last.previous, last.rank + 1)) {
        asked_.emplace_back(last.previous, last.rank + 1);
        continue;
      }
      add_next_to(at, last);
      node(at).has_last = false;
    }
    Node& self = node(at);
    if (self.candidates.empty()) continue;
    std::pop_heap(self.candidates.begin(), self.candidates.end());
    self.last = self.candidates.back();
    self.has_last = true;
    self.candidates.pop_back();
    const Way& way = self.last;
    // The first way was found from the start and is among the candidates too.
    const Way& best = self.found.front();
    const bool first = way.rank == 0 && way.previous == best.previous && way.option == best.option;
    if (!first && !(distinct_ && is_repeated(self, way.words))) self.found.push_back(way);
  }
  return node(hypothesis).found.size() > static_cast<size_t>(rank);
}

bool KBest::is_settled(int32_t hypothesis, int32_t rank) {
  if (graph_[hypothesis].previous < 0) return true;
  const Node& self = node(hypothesis);
  return self.found.size() > static_cast<size_t>(rank) ||
         (self.opened && !self.has_last && self.candidates.empty());
}

void KBest::add_next_to(int32_t hypothesis, Way way) {
  const auto& ranks = node(way.previous).found;
  const auto now = static_cast<size_t>(way.rank);
  if (now + 1 >= ranks.size()) return;
  way.score += ranks[now + 1].score - ranks[now].score;
  way.words = table_[way.option].append_words(ranks[now + 1].words);
  ++way.rank;
  auto& candidates = node(hypothesis).candidates;
  candidates.push_back(way);
  std::push_heap(candidates.begin(), candidates.end());
}

void KBest::open(Node& opened, const Hypothesis& hypothesis) const {
  graph_.for_each_way(hypothesis, [&](double score, int32_t previous, int32_t option) {
    const uint64_t words = table_[option].append_words(graph_[previous].words);
    opened.candidates.push_back({score, words, previous, option, 0});
  });
  std::make_heap(opened.candidates.begin(), opened.candidates.end());
  opened.opened = true;
}

bool KBest::is_repeated(const Node& node, uint64_t words) const {
  return std::ranges::any_of(node.found, [&](const Way& way) { return way.words == words; });
}

void KBest::restore(int32_t hypothesis, int32_t rank, std::vector<GraphStep>& steps) {
  steps.clear();
  while (graph_[hypothesis].previous >= 0) {
    const Way way = node(hypothesis).found[static_cast<size_t>(rank)];
    steps.push_back({way.previous, way.option});
    hypothesis = way.previous;
    rank = way.rank;
  }
  std::reverse(steps.begin(), steps.end());
}

}  // namespace calque
