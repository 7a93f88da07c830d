#include "decode/chart/search.h"

#include <algorithm>
#include <limits>

#include "decode/chart/oracle_sides.h"
#include "decode/chart/watched_sides.h"
#include "interrupt.h"

namespace calque {
namespace {

constexpr int kPopsInAHurry = 10;
constexpr size_t kAhead = 16;  // items popped at a time, whose waits for memory overlap
constexpr int32_t kNoRule = Application::kGlue;
constexpr int32_t kNoTail[] = {Application::kNothing};

}  // namespace

template <typename Target>
ChartSearch<Target>::ChartSearch(const ModelView& model, const WeightView& weights,
                                 const PrefixIndex& index, const TargetLimits& limits,
                                 const ChartOptions& options, const LeaveOneOut* leave_one_out,
                                 Target target)
    : target_(std::move(target)),
      glue_score_(0),
      options_(options),
      matcher_(index),
      rules_(model, weights, limits, leave_one_out) {
  for (const CountComponent& count : model.dense().counts) {
    glue_score_ += weights.dense[count.index] * count.of_glue();
  }
}

template <typename Target>
const Hypergraph& ChartSearch<Target>::run(const SentenceView& sentence,
                                           std::span<const Constraint> constraints) {
  start(sentence, constraints);
  const auto is_filled = [this](int begin, int end) { return this->is_filled(begin, end); };
  auto constraint = constraints.rbegin();
  for (int begin = n_words_ - 1; begin >= 0; --begin) {
    matcher_.match_word(begin, is_filled);
    cubes_.clear();
    int end = begin + 1;  // of the first span that may have a translation
    if (constraint != constraints.rend() && constraint->begin == begin) {
      add_own(rules_.required(*constraint));
      end = constraint->end;
      ++constraint;
    } else if (!blocked_[static_cast<size_t>(begin)] && !is_known(begin)) {
      add_own(rules_.copy(begin));
    }
    const int last = std::max(end, std::min(n_words_, begin + options_.max_span));
    for (; end <= last; ++end) {
      end_if_interrupted();
      fill(begin, end);
      if (is_filled(begin, end)) matcher_.match_gap(end, is_filled);
      cubes_.clear();
    }
  }
  for (int end = 1; end <= n_words_; ++end) glue(end);
  finish();
  return graph_;
}

template <typename Target>
void ChartSearch<Target>::start(const SentenceView& sentence,
                                std::span<const Constraint> constraints) {
  begin_ = std::chrono::steady_clock::now();
  n_words_ = sentence.size();
  width_ = std::min(n_words_, options_.max_span);
  blocked_.assign(sentence.words.size(), false);
  for (const Constraint& constraint : constraints) {
    width_ = std::max(width_, constraint.end - constraint.begin);
    std::fill(blocked_.begin() + constraint.begin, blocked_.begin() + constraint.end, true);
  }
  const auto n_cells = static_cast<size_t>(n_words_ * width_);
  if (cells_.size() < n_cells) cells_.resize(n_cells);
  for (Cell& cell : std::span(cells_).first(n_cells)) {
    cell.all.clear();
    cell.in_gaps.clear();
  }
  prefixes_.resize(std::max(prefixes_.size(), sentence.words.size() + 1));
  for (auto& prefix : prefixes_) prefix.clear();
  graph_.clear();
  target_.begin();
  rules_.begin(sentence);
  matcher_.begin(sentence.words, blocked_, options_.max_span);
}

// Whether a rule translates this word alone.
template <typename Target>
bool ChartSearch<Target>::is_known(int position) {
  const int32_t phrase = matcher_.phrase_of_word(position);
  return phrase >= 0 && rules_.is_left(phrase, position);
}

// A rule that only this sentence has, without gaps.
template <typename Target>
void ChartSearch<Target>::add_own(int32_t rule) {
  cubes_.push_back({rule, {1, 1, 1}, {kNoTail, kNoTail}});
}

template <typename Target>
void ChartSearch<Target>::fill(int begin, int end) {
  Cell& cell = cells_[index(begin, end)];
  span_begin_ = begin;
  span_end_ = end;
  if (end - begin <= options_.max_span) {
    for (const Match& match : matcher_.ending_at(end)) {
      const auto [first, last] = rules_.rules(match, begin, end);
      if (first == last) continue;
      Cube cube{first, {last - first, 1, 1}, {kNoTail, kNoTail}};
      for (size_t gap = 0; gap < static_cast<size_t>(match.n_gaps); ++gap) {
        const auto& filled = cells_[index(match.gaps[gap][0], match.gaps[gap][1])].in_gaps;
        cube.sizes[gap + 1] = static_cast<int32_t>(filled.size());
        cube.tails[gap] = filled.data();
      }
      open_cubes(cube);
    }
  }
  pop(cell.all);
  for (const int32_t id : cell.all) {
    if (options_.shallow == 0 || graph_[id].depth < options_.shallow) cell.in_gaps.push_back(id);
  }
}

// One cube of all rules of a source side where they come best first, else one of each.
template <typename Target>
void ChartSearch<Target>::open_cubes(const Cube& cube) {
  if constexpr (Target::adds_up()) {
    cubes_.push_back(cube);
  } else {
    const int32_t first = cube.first_rule;
    for (const int32_t id : target_.choose(rules_, first, first + cube.sizes[0])) {
      cubes_.push_back({id, {1, cube.sizes[1], cube.sizes[2]}, cube.tails});
    }
  }
}

// What covers the sentence up to `end`: a cell at its beginning, or one behind a shorter prefix.
template <typename Target>
void ChartSearch<Target>::glue(int end) {
  cubes_.clear();
  span_begin_ = 0;
  span_end_ = end;
  for (int begin = std::max(0, end - width_); begin < end; ++begin) {
    const auto& following = cells_[index(begin, end)].all;
    const auto& before = prefixes_[static_cast<size_t>(begin)];
    if (following.empty() || (begin > 0 && before.empty())) continue;
    const int32_t n_before = begin > 0 ? static_cast<int32_t>(before.size()) : 1;
    cubes_.push_back({kNoRule,
                      {1, n_before, static_cast<int32_t>(following.size())},
                      {begin > 0 ? before.data() : kNoTail, following.data()}});
  }
  pop(prefixes_[static_cast<size_t>(end)]);
}

template <typename Target>
void ChartSearch<Target>::finish() {
  for (const int32_t id : prefixes_[static_cast<size_t>(n_words_)]) {
    graph_.complete.push_back({id, target_.finish(graph_[id].state)});
  }
}

template <typename Target>
void ChartSearch<Target>::pop(std::vector<int32_t>& vertices) {
  if (cubes_.empty()) return;
  double best = -std::numeric_limits<double>::infinity();
  keys_.clear();
  first_vertex_ = graph_.vertices.size();
  target_.cover(span_end_ - span_begin_);
  heap_.clear();
  for (size_t cube = 0; cube < cubes_.size(); ++cube) {
    heap_.push_back({estimate(cubes_[cube], {0, 0, 0}), static_cast<int32_t>(cube), {0, 0, 0}});
  }
  std::make_heap(heap_.begin(), heap_.end());
  const int limit = pop_limit();
  size_t left = limit == 0 ? std::numeric_limits<size_t>::max() : static_cast<size_t>(limit);
  for (bool is_good = true; is_good && left > 0 && !heap_.empty(); left -= popped_.size()) {
    pop_ahead(std::min(left, kAhead));
    for (const auto& [estimate, application] : popped_) {
      is_good = options_.threshold <= 0 || estimate >= best - options_.threshold;
      if (!is_good) break;
      const ChartJoin join = this->join(application);
      const double score = Target::adds_up() ? estimate + join.score : join.score;
      best = std::max(best, score);
      add(application, score, join.state);
      ++graph_.n_generated;
    }
  }
  ranked_.clear();
  for (size_t id = first_vertex_; id < graph_.vertices.size(); ++id) {
    ranked_.push_back({-graph_.vertices[id].score, static_cast<int32_t>(id)});
  }
  std::ranges::sort(ranked_);
  const auto size = static_cast<size_t>(options_.stack_size);
  if (size > 0 && ranked_.size() > size) ranked_.resize(size);
  vertices.clear();
  for (const auto& [_, id] : ranked_) vertices.push_back(id);
}

template <typename Target>
void ChartSearch<Target>::pop_ahead(size_t n) {
  popped_.clear();
  while (popped_.size() < n && !heap_.empty()) {
    const Item item = heap_.front();
    const Cube& cube = cubes_[static_cast<size_t>(item.cube)];
    const int32_t rule = cube.first_rule == kNoRule ? kNoRule : cube.first_rule + item.at[0];
    popped_.push_back({item.estimate, {rule, {cube.tails[0][item.at[1]], cube.tails[1][item.at[2]]}}});
    go_on(item);
  }
  for (const Popped& one : popped_) prefetch(one.application);
}

// What comes next to the best item takes its place: an item of which this is the only parent, the last
// of its places that is not the first being one less here.
template <typename Target>
void ChartSearch<Target>::go_on(const Item& item) {
  const Cube& cube = cubes_[static_cast<size_t>(item.cube)];
  bool is_replaced = false;
  for (size_t way = 3; way-- > 0;) {
    auto at = item.at;
    if (++at[way] < cube.sizes[way]) {
      const Item next{estimate(cube, at), item.cube, at};
      if (is_replaced) {
        heap_.push_back(next);
        std::push_heap(heap_.begin(), heap_.end());
      } else {
        replace_best(next);
      }
      is_replaced = true;
    }
    if (item.at[way] > 0) break;
  }
  if (is_replaced) return;
  std::pop_heap(heap_.begin(), heap_.end());
  heap_.pop_back();
}

template <typename Target>
void ChartSearch<Target>::replace_best(const Item& item) {
  const size_t n = heap_.size();
  size_t place = 0;
  for (size_t child = 1; child < n; child = 2 * place + 1) {
    if (child + 1 < n && heap_[child] < heap_[child + 1]) ++child;
    if (!(item < heap_[child])) break;
    heap_[place] = heap_[child];
    place = child;
  }
  heap_[place] = item;
}

template <typename Target>
double ChartSearch<Target>::estimate(const Cube& cube, const std::array<int32_t, 3>& at) {
  if constexpr (!Target::adds_up()) {
    const std::array<int32_t, 2> parts{state(cube.tails[0][at[1]]), state(cube.tails[1][at[2]])};
    return target_.estimate(rules_, cube.first_rule, parts);
  }
  double sum = cube.first_rule == kNoRule
                   ? glue_score_
                   : static_cast<double>(rules_.estimate(cube.first_rule + at[0]));
  for (size_t gap = 0; gap < cube.tails.size(); ++gap) {
    const int32_t tail = cube.tails[gap][at[gap + 1]];
    if (tail != Application::kNothing) sum += graph_[tail].score;
  }
  return sum;
}

template <typename Target>
void ChartSearch<Target>::prefetch(const Application& application) {
  const std::array<int32_t, 2> states{state(application.tails[0]), state(application.tails[1])};
  if (application.rule == Application::kGlue) {
    target_.prefetch(states[0], states[1]);
  } else {
    target_.prefetch(rules_, application.rule, states);
  }
}

// What the parts become together.
template <typename Target>
ChartJoin ChartSearch<Target>::join(const Application& application) {
  const std::array<int32_t, 2> states{state(application.tails[0]), state(application.tails[1])};
  return application.rule == Application::kGlue ? target_.append(states[0], states[1])
                                                : target_.apply(rules_, application.rule, states);
}

template <typename Target>
int32_t ChartSearch<Target>::state(int32_t vertex) const {
  return vertex == Application::kNothing ? Target::kNothing : graph_[vertex].state;
}

template <typename Target>
int32_t ChartSearch<Target>::depth(const Application& application) const {
  if (options_.shallow == 0 || application.rule == Application::kGlue) return 0;
  int32_t depth = 0;
  for (const int32_t tail : application.tails) {
    if (tail != Application::kNothing) depth = std::max(depth, graph_[tail].depth + 1);
  }
  return depth;
}

template <typename Target>
void ChartSearch<Target>::add(const Application& application, double score, int32_t state) {
  const Key key{target_.key(state), depth(application)};
  const auto place = static_cast<size_t>(keys_.intern(key));
  const size_t id = first_vertex_ + place;
  if (id == graph_.vertices.size()) {
    graph_.vertices.push_back({score, application, -1, span_begin_, span_end_, state, key.depth});
    return;
  }
  graph_.add_way(id, application, score);
}

template <typename Target>
int ChartSearch<Target>::pop_limit() const {
  if (options_.time_limit_s > 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    if (spent.count() > options_.time_limit_s) return kPopsInAHurry;
  }
  return options_.pop_limit;
}

template class ChartSearch<LmSides>;
template class ChartSearch<OracleSides>;
template class ChartSearch<WatchedSides>;

}  // namespace calque
