#include "decode/chart/kbest.h"

#include <algorithm>

#include "decode/word_hash.h"

namespace calque {

ChartKBest::ChartKBest(const Hypergraph& graph, const RuleBook& rules, bool distinct)
    : graph_(graph), rules_(rules), distinct_(distinct), node_of_(graph.vertices.size(), -1) {
  for (size_t i = 0; i < graph.complete.size(); ++i) {
    const auto& [vertex, end] = graph.complete[i];
    ends_.push_back({graph[vertex].score + end, static_cast<int32_t>(i), 0});
  }
  std::make_heap(ends_.begin(), ends_.end());
}

bool ChartKBest::next(std::vector<AppliedRule>& rules, double& score) {
  for (;;) {
    if (last_end_.complete >= 0) push_end(last_end_.complete, last_end_.rank + 1);
    last_end_.complete = -1;
    if (ends_.empty()) return false;
    std::pop_heap(ends_.begin(), ends_.end());
    last_end_ = ends_.back();
    ends_.pop_back();
    const int32_t vertex = graph_.complete[static_cast<size_t>(last_end_.complete)].vertex;
    if (distinct_) {
      const uint64_t words = node(vertex).found[static_cast<size_t>(last_end_.rank)].words.hash;
      if (std::ranges::find(seen_, words) != seen_.end()) continue;
      seen_.push_back(words);
    }
    restore_glue(vertex, last_end_.rank, rules);
    score = last_end_.score;
    return true;
  }
}

void ChartKBest::best(int32_t vertex, std::vector<AppliedRule>& rules) {
  if (graph_[vertex].best.rule == Application::kGlue) {
    restore_glue(vertex, 0, rules);
  } else {
    rules.clear();
    restore(vertex, 0, rules);
  }
}

void ChartKBest::push_end(int32_t complete, int32_t rank) {
  const auto& [vertex, end] = graph_.complete[static_cast<size_t>(complete)];
  if (!find(vertex, rank)) return;
  ends_.push_back({node(vertex).found[static_cast<size_t>(rank)].score + end, complete, rank});
  std::push_heap(ends_.begin(), ends_.end());
}

// The best way to a vertex is known from the search.
ChartKBest::Node& ChartKBest::node(int32_t vertex) {
  if (node_of_[static_cast<size_t>(vertex)] < 0) {
    const Words words = distinct_ ? words_of(graph_[vertex].best, {0, 0}) : Words{};
    node_of_[static_cast<size_t>(vertex)] = static_cast<int32_t>(nodes_.size());
    Node& made = nodes_.emplace_back();
    made.found.push_back({graph_[vertex].score, words, kBest, {0, 0}});
    made.last = made.found.front();
    made.has_last = true;
  }
  return nodes_[static_cast<size_t>(node_of_[static_cast<size_t>(vertex)])];
}

bool ChartKBest::find(int32_t vertex, int32_t rank) {
  // `nodes_` may grow while those below are asked: never hold a reference across that.
  while (node(vertex).found.size() <= static_cast<size_t>(rank)) {
    if (!node(vertex).is_opened) open(vertex);
    if (node(vertex).has_last) {
      node(vertex).has_last = false;
      add_next_to(vertex, Way(node(vertex).last));
    }
    Node& self = node(vertex);
    if (self.candidates.empty()) return false;
    std::pop_heap(self.candidates.begin(), self.candidates.end());
    self.last = self.candidates.back();
    self.has_last = true;
    self.candidates.pop_back();
    const bool is_repeated = distinct_ && std::ranges::any_of(self.found, [&](const Way& way) {
      return way.words.hash == self.last.words.hash;
    });
    if (!is_repeated) self.found.push_back(self.last);
  }
  return true;
}

// Makes the other ways that the search found candidates.
void ChartKBest::open(int32_t vertex) {
  node(vertex).is_opened = true;
  std::vector<Way> ways;
  for (int32_t id = graph_[vertex].next_edge; id >= 0; id = graph_.edge(id).next_edge) {
    const Words words = distinct_ ? words_of(graph_.edge(id).way, {0, 0}) : Words{};
    ways.push_back({graph_.edge(id).score, words, id, {0, 0}});
  }
  std::make_heap(ways.begin(), ways.end());
  node(vertex).candidates = std::move(ways);
}

// Each way has one parent: the last of its ranks that is not 0 is one less there.
void ChartKBest::add_next_to(int32_t vertex, const Way& way) {
  const Application& applied = application(vertex, way.edge);
  for (size_t gap = applied.tails.size(); gap-- > 0;) {
    const int32_t tail = applied.tails[gap];
    if (tail != Application::kNothing) {
      Way next = way;
      const int32_t rank = ++next.ranks[gap];
      if (find(tail, rank)) {
        const auto& found = node(tail).found;
        next.score += found[static_cast<size_t>(rank)].score - found[static_cast<size_t>(rank) - 1].score;
        if (distinct_) next.words = words_of(applied, next.ranks);
        auto& candidates = node(vertex).candidates;
        candidates.push_back(next);
        std::push_heap(candidates.begin(), candidates.end());
      }
    }
    if (way.ranks[gap] > 0) break;
  }
}

ChartKBest::Words ChartKBest::words_of(const Application& applied,
                                       const std::array<int32_t, 2>& ranks) {
  std::array<Words, 2> below;
  for (size_t gap = 0; gap < below.size(); ++gap) {
    if (applied.tails[gap] == Application::kNothing) continue;
    below[gap] = node(applied.tails[gap]).found[static_cast<size_t>(ranks[gap])].words;
  }
  Words words;
  if (applied.rule == Application::kGlue) {
    words.append(below[0]);
    words.append(below[1]);
    return words;
  }
  const Rule& rule = rules_[applied.rule];
  for (const int32_t symbol : rule.target) {
    if (rule.block >= 0 && is_gap(symbol)) {
      words.append(below[static_cast<size_t>(symbol - kFirstGap)]);
    } else {
      words.append({append_word(0, symbol), kWordsFactor});
    }
  }
  return words;
}

// How a rank of a vertex is made: an application, and ranks of what it is made of.
std::pair<Application, std::array<int32_t, 2>> ChartKBest::way_of(int32_t vertex, int32_t rank) {
  if (rank == 0 && node_of_[static_cast<size_t>(vertex)] < 0) return {graph_[vertex].best, {0, 0}};
  const Way& way = node(vertex).found[static_cast<size_t>(rank)];
  return {application(vertex, way.edge), way.ranks};
}

void ChartKBest::restore_glue(int32_t vertex, int32_t rank, std::vector<AppliedRule>& rules) {
  glued_.clear();
  while (vertex != Application::kNothing) {
    const auto [applied, ranks] = way_of(vertex, rank);
    glued_.emplace_back(applied.tails[1], ranks[1]);
    vertex = applied.tails[0];
    rank = ranks[0];
  }
  rules.clear();
  for (size_t i = glued_.size(); i-- > 0;) restore(glued_[i].first, glued_[i].second, rules);
}

int32_t ChartKBest::restore(int32_t vertex, int32_t rank, std::vector<AppliedRule>& rules) {
  const auto [applied, ranks] = way_of(vertex, rank);
  const auto place = static_cast<int32_t>(rules.size());
  rules.push_back({applied.rule, graph_[vertex].begin, graph_[vertex].end, {-1, -1}});
  for (size_t gap = 0; gap < ranks.size(); ++gap) {
    if (applied.tails[gap] == Application::kNothing) continue;
    const int32_t filler = restore(applied.tails[gap], ranks[gap], rules);
    rules[static_cast<size_t>(place)].gaps[gap] = filler;
  }
  return place;
}

}  // namespace calque
