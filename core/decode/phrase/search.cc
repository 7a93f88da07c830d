#include "decode/phrase/search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "decode/phrase/gold_target.h"
#include "decode/phrase/oracle.h"
#include "decode/phrase/watched_target.h"
#include "interrupt.h"

namespace calque {
namespace {

constexpr int kPopsInAHurry = 10;
constexpr size_t kExtendedAtOnce = 128;

double log_sum_exp(std::span<const double> values) {
  const double most = *std::ranges::max_element(values);
  double sum = 0;
  for (const double value : values) sum += std::exp(value - most);
  return most + std::log(sum);
}

}  // namespace

template <typename Target>
const SearchGraph& Search<Target>::run(const OptionTable& table) {
  table_ = &table;
  start(table.size());
  for (int n_covered = 0; n_covered < table.size() && !graph_.truncated; ++n_covered) {
    fill(n_covered);
    prune(stacks_[static_cast<size_t>(n_covered)]);
    open_cubes(stacks_[static_cast<size_t>(n_covered)]);
  }
  fill(table.size());
  finish_sentence();
  return graph_;
}

template <typename Target>
void Search<Target>::start(int n_words) {
  begin_ = std::chrono::steady_clock::now();
  graph_.clear(options_.reordering.start);
  futures_.clear();
  stacks_.resize(static_cast<size_t>(n_words) + 1);
  cubes_.resize(static_cast<size_t>(n_words) + 1);
  for (auto& stack : stacks_) stack.clear();
  for (auto& cubes : cubes_) cubes.clear();
  popped_.clear();  // what a search left that was given up
  n_cubes_ = 0;
  if (steps_) steps_->begin(*table_);
  if (avoids_dead_ends_) completion_.begin(*table_, options_.reordering.distortion_limit);
  const int32_t place = graph_.places.intern({intern(Coverage{}), 0, 0, merged_.begin()});
  graph_.hypotheses.push_back({0, 0, 0, -1, -1, place, target_.begin(), -1});
  stacks_[0].push_back(0);
}

// Pops cells of the cubes that end in this stack, best first, until the limit.
template <typename Target>
void Search<Target>::fill(int n_covered) {
  Stack& stack = stacks_[static_cast<size_t>(n_covered)];
  const auto& cubes = cubes_[static_cast<size_t>(n_covered)];
  keys_.clear();
  heap_.clear();
  if constexpr (Target::looks_ahead()) return fill_looking_ahead(cubes, stack);
  for (size_t cube = 0; cube < cubes.size(); ++cube) open_row(cubes, static_cast<int32_t>(cube), 0);
  const int limit = pop_limit();
  for (int pops = 0; !heap_.empty() && (limit == 0 || pops < limit); ++pops) {
    std::pop_heap(heap_.begin(), heap_.end());
    const Cell cell = heap_.back();
    heap_.pop_back();
    popped_.push_back(cell);
    // Every cell has one parent: to the left, or above in the first column.
    push(cubes, cell.cube, cell.row, cell.column + 1, cell.log_sum);
    const bool is_first = cell.column == cubes[static_cast<size_t>(cell.cube)].next_allowed(0);
    if (is_first) open_row(cubes, cell.cube, cell.row + 1);
    if (popped_.size() == kExtendedAtOnce) extend(cubes, stack);
    if (graph_.truncated) return;
  }
  extend(cubes, stack);
}

// Every cell by the score after its step, best first, until the stack is full: no other cell could
// enter it, nor be recombined with what has.
template <typename Target>
void Search<Target>::fill_looking_ahead(const std::vector<Cube>& cubes, Stack& stack) {
  if constexpr (Target::looks_ahead()) {
    for (size_t index = 0; index < cubes.size(); ++index) {
      const Cube& cube = cubes[index];
      if (cube.options.empty()) continue;
      for (size_t row = 0; row < cube.hypotheses.size(); ++row) {
        const int32_t state = graph_[cube.hypotheses[row]].target;
        target_.look_ahead(state, cube.options, table_->id(cube.options.front()), ahead_);
        for (size_t column = 0; column < ahead_.size(); ++column) {
          if (!cube.allows(column)) continue;
          heap_.push_back({ahead_[column], static_cast<int32_t>(index), static_cast<int32_t>(row),
                           static_cast<int32_t>(column), 0});
        }
      }
    }
    std::make_heap(heap_.begin(), heap_.end());
    const auto size = static_cast<size_t>(options_.stack_size);
    while (!heap_.empty() && (size == 0 || stack.size() < size)) {
      while (!heap_.empty() && popped_.size() < kExtendedAtOnce) {
        std::pop_heap(heap_.begin(), heap_.end());
        popped_.push_back(heap_.back());
        heap_.pop_back();
      }
      extend(cubes, stack);
    }
  }
}

template <typename Target>
void Search<Target>::open_row(const std::vector<Cube>& cubes, int32_t index, int32_t row) {
  const Cube& cube = cubes[static_cast<size_t>(index)];
  if (static_cast<size_t>(row) >= cube.hypotheses.size()) return;
  const int32_t from = cube.hypotheses[static_cast<size_t>(row)];
  push(cubes, index, row, 0, options_.normalises ? add_up_row(cube, from) : 0);
}

// What all options of a span would add to a hypothesis, whether or not they may follow: the log of the
// sum of exponentials.
template <typename Target>
float Search<Target>::add_up_row(const Cube& cube, int32_t from) {
  const Hypothesis& hypothesis = graph_[from];
  row_.clear();
  if (asks_) steps_->clear();
  for (const Option& option : cube.options) {
    const int32_t id = table_->id(option);
    const TargetStep step = target_.step(hypothesis.target, option, id, cube.context.orientation);
    row_.push_back(score_without_target(cube, hypothesis, option) - hypothesis.score +
                   static_cast<double>(step.score));
    if (!asks_) continue;
    steps_->ask(cube.context, hypothesis.option, target_.history(hypothesis.target), id);
  }
  const auto sums = asks_ ? steps_->answer() : std::span<const float>();
  for (size_t i = 0; i < sums.size(); ++i) row_[i] += static_cast<double>(sums[i]);
  const auto log_sum = static_cast<float>(log_sum_exp(row_));
  graph_.log_sums.insert(SearchGraph::row_key(from, table_->id(cube.options.front())), log_sum);
  return log_sum;
}

template <typename Target>
void Search<Target>::push(const std::vector<Cube>& cubes, int32_t index, int32_t row,
                          int32_t column, float log_sum) {
  const Cube& cube = cubes[static_cast<size_t>(index)];
  column = cube.next_allowed(column);
  if (static_cast<size_t>(column) >= cube.options.size()) return;
  const Hypothesis& from = graph_[cube.hypotheses[static_cast<size_t>(row)]];
  const Option& option = cube.options[static_cast<size_t>(column)];
  const auto guess = static_cast<double>(option.lm_estimate + cube.future - log_sum);
  heap_.push_back({score_without_target(cube, from, option) + guess, index, row, column, log_sum});
  std::push_heap(heap_.begin(), heap_.end());
}

// The score after a step, but for what the target side adds.
template <typename Target>
double Search<Target>::score_without_target(const Cube& cube, const Hypothesis& from,
                                            const Option& option) const {
  const auto orientation = static_cast<size_t>(cube.context.orientation);
  float step = cube.step_score + option.score + option.previous[orientation];
  if (from.option >= 0) step += (*table_)[from.option].next[orientation];
  if (scores_merged_) {
    step += option.merged_previous[static_cast<size_t>(cube.context.backward)];
    const auto forward = static_cast<size_t>(cube.context.forward);
    if (from.option >= 0) step += (*table_)[from.option].merged_next[forward];
  }
  return from.score + static_cast<double>(step);
}

// The steps of the cells that were popped, which no other cell depends on: together, so that lookups
// share the wait for memory.
template <typename Target>
void Search<Target>::extend(const std::vector<Cube>& cubes, Stack& stack) {
  end_if_interrupted();
  extensions_.clear();
  if (asks_) steps_->clear();
  for (const Cell& cell : popped_) {
    const Cube& cube = cubes[static_cast<size_t>(cell.cube)];
    const Option& option = cube.options[static_cast<size_t>(cell.column)];
    const int32_t from = cube.hypotheses[static_cast<size_t>(cell.row)];
    const int32_t id = table_->id(option);
    const TargetStep step =
        target_.step(graph_[from].target, option, id, cube.context.orientation);
    if (step.state == kRefused) continue;
    const Place& after = graph_.places[cube.place];
    if (!target_.has_future(graph_.coverages[after.coverage], after.last_end, step.state)) continue;
    extensions_.push_back({&cube, from, id, step, cell.log_sum});
    if (!asks_) continue;
    steps_->ask(cube.context, graph_[from].option, target_.history(graph_[from].target), id);
  }
  popped_.clear();
  const auto sums = asks_ ? steps_->answer() : std::span<const float>();
  for (size_t i = 0; i < extensions_.size() && !graph_.truncated; ++i) {
    const auto& [cube, from, id, step, log_sum] = extensions_[i];
    const Option& option = (*table_)[id];
    double score =
        score_without_target(*cube, graph_[from], option) + static_cast<double>(step.score - log_sum);
    if (asks_) score += static_cast<double>(sums[i]);
    const uint64_t words = option.append_words(graph_[from].words);
    add({score, words, cube->future, from, id, cube->place, step.state, -1}, option.next_class, stack);
  }
  check_memory();
}

// Gives up where the search needs more memory than it may. What grows with the sentence counts by
// its size and not by what was reserved, so that no sentence depends on those before it.
template <typename Target>
void Search<Target>::check_memory() {
  if (options_.max_bytes == 0) return;
  constexpr size_t kGrowth = 2;  // vectors and tables may hold twice as much as is in them
  const size_t used = graph_.hypotheses.size() * (sizeof(Hypothesis) + sizeof(int32_t)) +
                      graph_.arcs.size() * sizeof(Arc) + heap_.size() * sizeof(Cell) +
                      n_cubes_ * sizeof(Cube) + graph_.places.size() * (sizeof(Place) + 8) +
                      keys_.size() * (sizeof(RecombinationKey) + 8);
  graph_.truncated |= kGrowth * used > static_cast<size_t>(options_.max_bytes);
}

template <typename Target>
void Search<Target>::add(const Hypothesis& to, int32_t next_class, Stack& stack) {
  ++graph_.n_generated;
  const auto position = static_cast<size_t>(keys_.intern({to.place, to.target, next_class}));
  if (position == stack.size()) {
    stack.push_back(static_cast<int32_t>(graph_.hypotheses.size()));
    graph_.hypotheses.push_back(to);
    return;
  }
  // Recombination: the better way stays in the hypothesis, the other becomes an arc.
  Hypothesis& kept = graph_.hypotheses[static_cast<size_t>(stack[position])];
  Arc arc{to.score, to.previous, to.option, kept.next_arc};
  if (to.score > kept.score) {
    arc = {kept.score, kept.previous, kept.option, kept.next_arc};
    kept.score = to.score;
    kept.words = to.words;
    kept.previous = to.previous;
    kept.option = to.option;
  }
  kept.next_arc = static_cast<int32_t>(graph_.arcs.size());
  graph_.arcs.push_back(arc);
}

template <typename Target>
void Search<Target>::prune(Stack& stack) const {
  const auto better = [&](int32_t a, int32_t b) {
    const double x = graph_[a].total(), y = graph_[b].total();
    return x != y ? x > y : a < b;
  };
  if (options_.threshold > 0 && !stack.empty()) {
    const auto value = [&](int32_t id) {
      return options_.threshold_on_score ? graph_[id].score : graph_[id].total();
    };
    const double best = value(*std::ranges::max_element(stack, {}, value));
    const double worst = best - static_cast<double>(options_.threshold);
    std::erase_if(stack, [&](int32_t id) { return value(id) < worst; });
  }
  const auto size = static_cast<size_t>(options_.stack_size);
  if (size > 0 && stack.size() > size) {
    const auto middle = stack.begin() + static_cast<std::ptrdiff_t>(size);
    std::nth_element(stack.begin(), middle, stack.end(), better);
    stack.resize(size);
  }
  // Hypotheses at one place next to each other, best first.
  std::sort(stack.begin(), stack.end(), [&](int32_t a, int32_t b) {
    return graph_[a].place != graph_[b].place ? graph_[a].place < graph_[b].place : better(a, b);
  });
}

template <typename Target>
void Search<Target>::open_cubes(const Stack& stack) {
  const std::span<const int32_t> all(stack);
  for (size_t from = 0, to; from < all.size() && !graph_.truncated; from = to) {
    const int32_t place = graph_[all[from]].place;
    for (to = from + 1; to < all.size() && graph_[all[to]].place == place;) ++to;
    open_cubes_at(Place(graph_.places[place]), all.subspan(from, to - from));
    check_memory();
  }
}

template <typename Target>
void Search<Target>::open_cubes_at(const Place& place, std::span<const int32_t> hypotheses) {
  const Coverage covered = graph_.coverages[place.coverage];
  options_.reordering.for_each_span(*table_, covered, place.last_end, [&](int begin, int end) {
    const Coverage covered_after = covered.with(begin, end);
    if (avoids_dead_ends_ && !completion_.is_possible(covered_after, end)) return;
    const int32_t after = intern(covered_after);
    Cube cube{};
    cube.hypotheses = hypotheses;
    cube.options = table_->span(begin, end);
    cube.context.last_end = place.last_end;
    cube.context.orientation = step_orientation(options_.reordering.start, place.last_begin,
                                                place.last_end, begin, end);
    cube.step_score = static_cast<float>(
        dense_->score_jump(weights_.dense, table_->sentence().words, place.last_end, begin));
    cube.future = known_future(after, end);
    const int32_t merged = add_context(place, covered, begin, end, cube);
    cube.place = graph_.places.intern({after, begin, end, merged});
    cubes_[static_cast<size_t>(graph_.coverages[after].count())].push_back(cube);
    ++n_cubes_;
  });
}

// What only sparse features and merged blocks ask of a step; the stack of merged blocks after it.
template <typename Target>
int32_t Search<Target>::add_context(const Place& place, const Coverage& covered, int begin, int end,
                                    Cube& cube) {
  if (steps_) cube.step_score += steps_->cube(cube.context, begin, end);
  if (!merges_ && !scores_merged_) return 0;
  cube.context.forward =
      forward_orientation(place.last_begin, place.last_end, begin, end,
                          [&](int word) { return covered.can_add(word, word + 1); });
  if (!merges_) return 0;
  cube.context.backward = merged_.orientation(place.merged, begin, end);
  return merged_.push(place.merged, begin, end);
}

template <typename Target>
void Search<Target>::finish_sentence() {
  graph_.complete.clear();
  for (const int32_t id : stacks_.back()) {
    Hypothesis& hypothesis = graph_.hypotheses[static_cast<size_t>(id)];
    double end = target_.finish(hypothesis.target);
    if (end == -std::numeric_limits<double>::infinity()) continue;
    if (target_.ends() && hypothesis.option >= 0) {
      const Option& last = (*table_)[hypothesis.option];
      const int way = forward_at_end(last.end, table_->size());
      end += static_cast<double>(last.merged_next[static_cast<size_t>(way)]);
    }
    hypothesis.score += end;
    for (int32_t at = hypothesis.next_arc; at >= 0; at = graph_.arc(at).next_arc) {
      graph_.arcs[static_cast<size_t>(at)].score += end;
    }
    graph_.complete.push_back(id);
  }
  std::sort(graph_.complete.begin(), graph_.complete.end(), [&](int32_t a, int32_t b) {
    return graph_[a].score != graph_[b].score ? graph_[a].score > graph_[b].score : a < b;
  });
}

template <typename Target>
int Search<Target>::pop_limit() const {
  if (options_.time_limit_s > 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    if (spent.count() > options_.time_limit_s) return kPopsInAHurry;
  }
  return options_.pop_limit;
}

template <typename Target>
float Search<Target>::future(const Coverage& covered, int last_end) const {
  return options_.future_cost ? table_->future(covered) - jumps_to_come(covered, last_end) : 0;
}

// The same for a coverage of the graph.
template <typename Target>
float Search<Target>::known_future(int32_t coverage, int last_end) const {
  if (!options_.future_cost) return 0;
  return futures_[static_cast<size_t>(coverage)] -
         jumps_to_come(graph_.coverages[coverage], last_end);
}

template <typename Target>
float Search<Target>::jumps_to_come(const Coverage& covered, int last_end) const {
  return static_cast<float>(distance_weight_ * covered.remaining_jumps(last_end, table_->size()));
}

template <typename Target>
int32_t Search<Target>::intern(const Coverage& coverage) {
  const int32_t id = graph_.coverages.intern(coverage);
  if (static_cast<size_t>(id) == futures_.size()) futures_.push_back(table_->future(coverage));
  return id;
}

template class Search<LmTarget>;
template class Search<ContextTarget>;
template class Search<ForcedTarget>;
template class Search<OracleTarget>;
template class Search<GoldTarget>;
template class Search<WatchedTarget<LmTarget>>;
template class Search<WatchedTarget<ContextTarget>>;

}  // namespace calque
