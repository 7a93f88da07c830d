#include "decode/chart/hypergraph.h"

namespace calque {

std::vector<bool> on_ways_to(const Hypergraph& graph, int32_t end) {
  std::vector<bool> marked(graph.vertices.size(), false);
  marked[static_cast<size_t>(end)] = true;
  for (size_t id = marked.size(); id-- > 0;) {  // what a vertex is made of comes before it
    if (!marked[id]) continue;
    graph.for_each_way(graph.vertices[id], [&](const Application& way, double) {
      for_each_tail(way, [&](size_t tail) { marked[tail] = true; });
    });
  }
  return marked;
}

}  // namespace calque
