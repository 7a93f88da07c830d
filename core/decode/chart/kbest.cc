#include "decode/chart/kbest.h"

#include <algorithm>

#include "decode/word_hash.h"
#include "interrupt.h"

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
    end_if_interrupted();  // lists may be as long as there are derivations
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

ChartKBest::Node& ChartKBest::node(int32_t vertex) {
  if (!is_made(vertex)) make(vertex);
  return nodes_[static_cast<size_t>(node_of_[static_cast<size_t>(vertex)])];
}

// The best way to a vertex is known from the search. Its words are those of vertices below, which
// are made first, but not by recursion: what is glued is as deep as the sentence is long.
void ChartKBest::make(int32_t vertex) {
  to_make_.push_back(vertex);
  while (!to_make_.empty()) {
    const int32_t at = to_make_.back();
    const Application& best = graph_[at].best;
    const size_t n_waiting = to_make_.size();
    for (const int32_t tail : best.tails) {
      if (distinct_ && tail != Application::kNothing && !is_made(tail)) to_make_.push_back(tail);
    }
    if (to_make_.size() > n_waiting) continue;
    to_make_.pop_back();
    if (is_made(at)) continue;
    const Words words = distinct_ ? words_of(best, {0, 0}) : Words{};
    node_of_[static_cast<size_t>(at)] = static_cast<int32_t>(nodes_.size());
    Node& made = nodes_.emplace_back();
    made.found.push_back({graph_[at].score, words, kBest, {0, 0}});
    made.last = made.found.front();
    made.has_last = true;
  }
}

// Vertices below are asked first where their ranks are needed; no recursion here, either.
bool ChartKBest::find(int32_t vertex, int32_t rank) {
  asked_.emplace_back(vertex, rank);
  while (!asked_.empty()) {
    const auto [at, wanted] = asked_.back();
    if (is_settled(at, wanted)) {
      asked_.pop_back();
      continue;
    }
    // `nodes_` may grow while those below are asked: never hold a reference across that.
    if (!node(at).is_opened) open(at);
    if (node(at).has_last) {
      const Way last = node(at).last;
      if (const auto below = unsettled_below(at, last)) {
        asked_.push_back(*below);
        continue;
      }
      node(at).has_last = false;
      add_next_to(at, last);
    }
    Node& self = node(at);
    if (self.candidates.empty()) continue;
    std::pop_heap(self.candidates.begin(), self.candidates.end());
    self.last = self.candidates.back();
    self.has_last = true;
    self.candidates.pop_back();
    const bool is_repeated = distinct_ && std::ranges::any_of(self.found, [&](const Way& way) {
      return way.words.hash == self.last.words.hash;
    });
    if (!is_repeated) self.found.push_back(self.last);
  }
  return node(vertex).found.size() > static_cast<size_t>(rank);
}

bool ChartKBest::is_settled(int32_t vertex, int32_t rank) {
  const Node& self = node(vertex);
  return self.found.size() > static_cast<size_t>(rank) ||
         (self.is_opened && !self.has_last && self.candidates.empty());
}

std::optional<std::pair<int32_t, int32_t>> ChartKBest::unsettled_below(int32_t vertex,
                                                                       const Way& way) {
  const Application& applied = application(vertex, way.edge);
  for (size_t gap = applied.tails.size(); gap-- > 0;) {
    const int32_t tail = applied.tails[gap], rank = way.ranks[gap] + 1;
    if (tail != Application::kNothing && !is_settled(tail, rank)) return std::pair{tail, rank};
    if (way.ranks[gap] > 0) break;
  }
  return std::nullopt;
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

// Each way has one parent: the last of its ranks that is not 0 is one less there. Ranks below are
// settled.
void ChartKBest::add_next_to(int32_t vertex, const Way& way) {
  const Application& applied = application(vertex, way.edge);
  for (size_t gap = applied.tails.size(); gap-- > 0;) {
    const int32_t tail = applied.tails[gap];
    if (tail != Application::kNothing) {
      Way next = way;
      const int32_t rank = ++next.ranks[gap];
      if (const auto& found = node(tail).found; found.size() > static_cast<size_t>(rank)) {
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
