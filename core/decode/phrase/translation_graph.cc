#include "decode/phrase/translation_graph.h"

#include <algorithm>

namespace calque {

std::vector<bool> on_ways_to(const SearchGraph& graph, std::span<const int32_t> ends) {
  std::vector<bool> marked(graph.hypotheses.size(), false);
  for (const int32_t id : ends) marked[static_cast<size_t>(id)] = true;
  for (size_t id = graph.hypotheses.size(); id-- > 0;) {  // predecessors come before
    if (!marked[id]) continue;
    graph.for_each_way(graph.hypotheses[id], [&](double, int32_t previous, int32_t) {
      marked[static_cast<size_t>(previous)] = true;
    });
  }
  return marked;
}

TranslationGraph translation_graph(const SearchGraph& graph, const OptionTable& table) {
  TranslationGraph result;
  const std::vector<bool> marked = on_ways_to(graph, graph.complete);
  std::vector<int32_t> node_of(marked.size(), -1);
  for (size_t id = 0; id < marked.size(); ++id) {
    if (!marked[id]) continue;
    const Hypothesis& hypothesis = graph.hypotheses[id];
    const auto node = node_of[id] = static_cast<int32_t>(result.nodes.size());
    result.nodes.push_back({graph.coverage(hypothesis), hypothesis.score, false});
    const size_t first = result.edges.size();
    graph.for_each_way(hypothesis, [&](double score, int32_t previous, int32_t option_id) {
      const Option& option = table[option_id];
      const Place& last = graph.places[graph[previous].place];
      const int way = step_orientation(graph.start, last.last_begin, last.last_end, option.begin,
                                       option.end);
      const int32_t first = table.id(table.span(option.begin, option.end).front());
      result.edges.push_back({node_of[static_cast<size_t>(previous)],
                              node,
                              {option.begin, option.end, option.block, option.required,
                               option.change, way, graph.log_sum(previous, first), {option.target.begin(), option.target.end()}},
                              score - graph[previous].score});
    });
    // The best way is the first; what follows is in the order of the search.
    const auto score_through = [&](const TranslationGraph::Edge& edge) {
      return result.nodes[static_cast<size_t>(edge.from)].score + edge.score;
    };
    std::stable_sort(result.edges.begin() + static_cast<std::ptrdiff_t>(first), result.edges.end(),
                     [&](const auto& a, const auto& b) { return score_through(a) > score_through(b); });
  }
  for (const int32_t id : graph.complete) {
    result.nodes[static_cast<size_t>(node_of[static_cast<size_t>(id)])].complete = true;
  }
  return result;
}

}  // namespace calque
