// What a chart search leaves behind: partial translations of spans, and every way to each of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace calque {

// A rule whose gaps are filled by partial translations (by the number of the gap), or glue: what
// stands before, and what follows it.
struct Application {
  static constexpr int32_t kGlue = INT32_MAX;
  static constexpr int32_t kNothing = -1;

  int32_t rule;
  std::array<int32_t, 2> tails;  // kNothing: the gap does not exist, or nothing stands before
};

// A partial translation of a span. Of those that no context can tell apart only the best is used;
// the ways that led to the others are its edges.
struct Vertex {
  double score;       // of the best way
  Application best;
  int32_t next_edge;  // other ways to the same translation; -1: none
  int32_t begin, end;
  int32_t state;      // what the search knows of the target words
  int32_t depth;      // of nested gaps, where it matters
};

struct Edge {
  double score;
  Application way;
  int32_t next_edge;
};

struct Hypergraph {
  // A translation of the whole sentence, with the score of its end.
  struct Complete {
    int32_t vertex;
    double end;
  };

  std::vector<Vertex> vertices;  // a vertex comes after those it is made of
  std::vector<Edge> edges;
  std::vector<Complete> complete;
  int64_t n_generated = 0;  // applications tried: the cost of the search, whatever the threads

  // Adds a way to a vertex: the better one stays in it, the other becomes an edge.
  void add_way(size_t id, const Application& way, double score) {
    Vertex& vertex = vertices[id];
    const auto edge = static_cast<int32_t>(edges.size());
    if (score > vertex.score) {
      edges.push_back({vertex.score, vertex.best, vertex.next_edge});
      vertex.score = score;
      vertex.best = way;
    } else {
      edges.push_back({score, way, vertex.next_edge});
    }
    vertex.next_edge = edge;
  }
  // Calls visit(application, score) for every way to a vertex, the best one first.
  template <typename Visit>
  void for_each_way(const Vertex& vertex, const Visit& visit) const {
    visit(vertex.best, vertex.score);
    for (int32_t id = vertex.next_edge; id >= 0; id = edge(id).next_edge) {
      visit(edge(id).way, edge(id).score);
    }
  }

  const Vertex& operator[](int32_t id) const { return vertices[static_cast<size_t>(id)]; }
  const Edge& edge(int32_t id) const { return edges[static_cast<size_t>(id)]; }

  void clear() {
    vertices.clear();
    edges.clear();
    complete.clear();
    n_generated = 0;
  }
};

// Calls visit(vertex) for what a way is made of.
template <typename Visit>
void for_each_tail(const Application& way, const Visit& visit) {
  for (const int32_t tail : way.tails) {
    if (tail != Application::kNothing) visit(static_cast<size_t>(tail));
  }
}

// Which vertices lie on a way to this one, itself included.
std::vector<bool> on_ways_to(const Hypergraph& graph, int32_t end);

}  // namespace calque
