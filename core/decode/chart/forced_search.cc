#include "decode/chart/forced_search.h"

#include <algorithm>

#include "interrupt.h"

namespace calque {

ChartForcedSearch::ChartForcedSearch(const ModelView& model, const WeightView& weights,
                                     const PrefixIndex& index, const ChartSpace& space,
                                     const ForcedLimits& limits, const LeaveOneOut* leave_one_out)
    : model_(model),
      lm_weights_(chart_lm_weights(model, weights)),
      space_(space),
      limits_(limits),
      matcher_(index),
      rules_(model, weights, {0, 0, 0}, leave_one_out) {
  for (const CountComponent& count : model.dense().counts) {
    glue_score_ += weights.dense[count.index] * count.of_glue();
  }
}

Hypergraph* ChartForcedSearch::run(const SentenceView& sentence,
                                   std::span<const int32_t> reference) {
  if (sentence.size() > limits_.max_words) return nullptr;
  start(sentence, reference);
  const auto is_filled = [this](int begin, int end) { return !cell(begin, end).in_gaps.empty(); };
  for (int begin = n_words_ - 1; begin >= 0; --begin) {
    matcher_.match_word(begin, is_filled);
    const int last = std::min(n_words_, begin + width_);
    for (int end = begin + 1; end <= last; ++end) {
      end_if_interrupted();
      fill(begin, end);
      if (is_too_large()) return nullptr;
      if (is_filled(begin, end)) matcher_.match_gap(end, is_filled);
    }
  }
  for (int end = 1; end <= n_words_; ++end) glue(end);
  if (is_too_large()) return nullptr;
  const int32_t whole = prefix(n_words_, static_cast<int>(reference.size()));
  if (whole >= 0) graph_.complete.push_back({whole, lm_sums_.back()});
  return &graph_;
}

void ChartForcedSearch::start(const SentenceView& sentence, std::span<const int32_t> reference) {
  reference_ = reference;
  n_words_ = sentence.size();
  width_ = std::min(n_words_, space_.max_span);
  blocked_.assign(sentence.words.size(), false);
  cells_.resize(std::max(cells_.size(), static_cast<size_t>(n_words_) * static_cast<size_t>(width_)));
  for (Cell& cell : cells_) {
    cell.all.clear();
    cell.in_gaps.clear();
  }
  prefixes_.assign(place(n_words_ + 1, 0), -1);
  lm_sums_.assign(reference.size() + 2, 0);
  add_lm(model_.lm, lm_weights_.words);
  if (const auto& classes = model_.dense().class_lm) add_lm(classes->lm, lm_weights_.classes);
  graph_.clear();
  rules_.begin(sentence, reference);
  matcher_.begin(sentence.words, blocked_, space_.max_span);
}

void ChartForcedSearch::add_lm(const TargetLm& lm, float weight) {
  LmState state = lm.begin();
  double sum = 0;
  for (size_t at = 0; at < reference_.size(); ++at) {
    LmState after;
    sum += static_cast<double>(weight) * lm.score(state, reference_[at], after);
    state = after;
    lm_sums_[at + 1] += sum;
  }
  lm_sums_.back() += sum + static_cast<double>(weight) * lm.finish(state);
}

// Whether a rule translates this word alone.
bool ChartForcedSearch::is_known(int position) {
  const int32_t phrase = matcher_.phrase_of_word(position);
  return phrase >= 0 && rules_.is_left(phrase, position);
}

void ChartForcedSearch::fill(int begin, int end) {
  Cell& filled = cell(begin, end);
  span_begin_ = begin;
  span_end_ = end;
  keys_.clear();
  first_vertex_ = graph_.vertices.size();
  if (end == begin + 1 && !is_known(begin)) try_rule(rules_.copy(begin), {});
  for (const Match& match : matcher_.ending_at(end)) {
    std::array<const Cell*, 2> gaps{};
    for (size_t gap = 0; gap < static_cast<size_t>(match.n_gaps); ++gap) {
      gaps[gap] = &cell(match.gaps[gap][0], match.gaps[gap][1]);
    }
    const auto [first, last] = rules_.rules(match, begin, end);
    for (int32_t id = first; id < last; ++id) try_rule(id, gaps);
  }
  for (size_t id = first_vertex_; id < graph_.vertices.size(); ++id) {
    filled.all.push_back(static_cast<int32_t>(id));
  }
  std::ranges::stable_sort(filled.all, {}, [&](int32_t id) { return graph_[id].state; });
  for (const int32_t id : filled.all) {
    if (space_.shallow == 0 || graph_[id].depth < space_.shallow) filled.in_gaps.push_back(id);
  }
}

// All places of a rule in the reference, with all that can fill its gaps there.
void ChartForcedSearch::try_rule(int32_t id, const std::array<const Cell*, 2>& gaps) {
  if (is_too_large()) return;
  const Rule& rule = rules_[id];
  constexpr Application kUnfilled{0, {Application::kNothing, Application::kNothing}};
  Walk walk{id, &rule, gaps, kUnfilled, static_cast<double>(rules_.score(id)), 0, 0};
  walk.way.rule = id;
  for (; walk.begin < static_cast<int>(reference_.size()); ++walk.begin) go_on(walk, 0, walk.begin);
}

// The target side from `at` on, where the reference is read up to `position`.
void ChartForcedSearch::go_on(Walk walk, size_t at, int position) {
  const Rule& rule = *walk.rule;
  for (; at < rule.target.size(); ++at) {
    const int32_t symbol = rule.target[at];
    if (rule.block >= 0 && is_gap(symbol)) break;
    if (static_cast<size_t>(position) == reference_.size() ||
        reference_[static_cast<size_t>(position)] != symbol) {
      return;
    }
    ++position;
  }
  if (at == rule.target.size()) {
    if (position > walk.begin) add(walk.way, walk.score, {state(walk.begin, position), walk.depth});
    return;
  }
  const auto gap = static_cast<size_t>(rule.target[at] - kFirstGap);
  for (const int32_t filler : beginning_at(*walk.gaps[gap], position)) {
    Walk filled = walk;
    filled.way.tails[gap] = filler;
    filled.score += graph_[filler].score;
    if (space_.shallow > 0) filled.depth = std::max(walk.depth, graph_[filler].depth + 1);
    go_on(filled, at + 1, interval(filler).end);
  }
}

// What may fill a gap of the cell from a place in the reference on.
std::span<const int32_t> ChartForcedSearch::beginning_at(const Cell& cell, int position) const {
  const auto state_of = [&](int32_t id) { return graph_[id].state; };
  const auto first = std::ranges::lower_bound(cell.in_gaps, state(position, 0), {}, state_of);
  const auto last = std::ranges::lower_bound(cell.in_gaps, state(position + 1, 0), {}, state_of);
  return {first, last};
}

void ChartForcedSearch::add(const Application& way, double score, const Key& key) {
  const size_t id = first_vertex_ + static_cast<size_t>(keys_.intern(key));
  if (id < graph_.vertices.size()) {
    graph_.add_way(id, way, score);
    return;
  }
  graph_.vertices.push_back({score, way, -1, span_begin_, span_end_, key.state, key.depth});
}

// What gives a prefix of the reference: a cell at the beginning of the source, or one behind a shorter
// prefix.
void ChartForcedSearch::glue(int end) {
  span_begin_ = 0;
  span_end_ = end;
  keys_.clear();
  first_vertex_ = graph_.vertices.size();
  for (int begin = std::max(0, end - width_); begin < end; ++begin) {
    for (const int32_t following : cell(begin, end).all) {
      const auto [from, to] = interval(following);
      const int32_t before = prefix(begin, from);
      if (begin == 0 ? from > 0 : before < 0) continue;
      double score = glue_score_ + graph_[following].score;
      if (before >= 0) score += graph_[before].score;
      add({Application::kGlue, {before, following}}, score, {state(0, to), 0});
    }
  }
  for (size_t id = first_vertex_; id < graph_.vertices.size(); ++id) {
    prefixes_[place(end, graph_.vertices[id].state)] = static_cast<int32_t>(id);
  }
}

bool ChartForcedSearch::is_too_large() const {
  constexpr size_t kGrowth = 2;  // vectors may hold twice as much as is in them
  const size_t used = graph_.vertices.size() * (sizeof(Vertex) + 2 * sizeof(int32_t)) +
                      graph_.edges.size() * sizeof(Edge);
  return kGrowth * used > static_cast<size_t>(limits_.max_bytes);
}

}  // namespace calque
