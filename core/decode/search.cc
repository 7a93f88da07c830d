#include "decode/search.h"

#include <algorithm>
#include <cstdlib>

namespace calque {

void Search::run(std::span<const int32_t> source, const OptionTable& table) {
  table_ = &table;
  const int n_words = static_cast<int>(source.size());
  start(n_words);
  for (int n_covered = 0; n_covered < n_words; ++n_covered) {
    fill(n_covered);
    prune(stacks_[static_cast<size_t>(n_covered)]);
    open_cubes(stacks_[static_cast<size_t>(n_covered)]);
  }
  fill(n_words);
  finish_sentence();
}

void Search::start(int n_words) {
  hypotheses_.clear();
  arcs_.clear();
  stacks_.assign(static_cast<size_t>(n_words) + 1, {});
  cubes_.assign(static_cast<size_t>(n_words) + 1, {});
  coverages_.clear();
  futures_.clear();
  places_.clear();
  lm_states_.clear();
  lm_steps_.clear();
  n_generated_ = 0;
  const int32_t place = places_.intern({intern(Coverage{}), 0, 0});
  hypotheses_.push_back({0, 0, -1, -1, place, lm_states_.intern(model_.lm.begin()), -1});
  stacks_[0].push_back(0);
}

// Pops cells of the cubes that end in this stack, best first, until the limit.
void Search::fill(int n_covered) {
  auto& stack = stacks_[static_cast<size_t>(n_covered)];
  const auto& cubes = cubes_[static_cast<size_t>(n_covered)];
  keys_.clear();
  heap_.clear();
  for (size_t cube = 0; cube < cubes.size(); ++cube) push(cubes, static_cast<int32_t>(cube), 0, 0);
  for (int pops = 0; !heap_.empty() && (options_.pop_limit == 0 || pops < options_.pop_limit); ++pops) {
    std::pop_heap(heap_.begin(), heap_.end());
    const Cell cell = heap_.back();
    heap_.pop_back();
    extend(cell, stack);
    // Every cell has one parent: to the left, or above in the first column.
    push(cubes, cell.cube, cell.row, cell.column + 1);
    if (cell.column == 0) push(cubes, cell.cube, cell.row + 1, 0);
  }
}

void Search::push(const std::vector<Cube>& cubes, int32_t index, int32_t row, int32_t column) {
  const Cube& cube = cubes[static_cast<size_t>(index)];
  if (static_cast<size_t>(row) >= cube.hypotheses.size() ||
      static_cast<size_t>(column) >= cube.options.size()) {
    return;
  }
  const Hypothesis& from = (*this)[cube.hypotheses[static_cast<size_t>(row)]];
  const Option& option = cube.options[static_cast<size_t>(column)];
  const auto orientation = static_cast<size_t>(cube.orientation);
  double estimate = from.score + cube.step_score + cube.future + option.estimate() +
                    option.previous[orientation];
  if (from.option >= 0) estimate += (*table_)[from.option].next[orientation];
  heap_.push_back({estimate, index, row, column});
  std::push_heap(heap_.begin(), heap_.end());
}

void Search::extend(const Cell& cell, std::vector<int32_t>& stack) {
  const Option* option = nullptr;
  Hypothesis to{};
  {
    const int n = static_cast<int>(&stack - stacks_.data());
    const Cube& cube = cubes_[static_cast<size_t>(n)][static_cast<size_t>(cell.cube)];
    option = &cube.options[static_cast<size_t>(cell.column)];
    to.previous = cube.hypotheses[static_cast<size_t>(cell.row)];
    to.option = table_->id(*option);
    to.place = cube.place;
    to.future = cube.future;
  }
  const LmStep step = lm_step((*this)[to.previous].lm_state, *option);
  // The estimate holds the language-model score without history: put the real one in its place.
  to.score = cell.estimate - to.future - option->lm_estimate + step.score;
  to.lm_state = step.state;
  to.next_arc = -1;
  ++n_generated_;
  add(stack, to, option->next_class);
}

void Search::add(std::vector<int32_t>& stack, const Hypothesis& to, int32_t next_class) {
  const auto position = static_cast<size_t>(keys_.intern({to.place, to.lm_state, next_class}));
  if (position == stack.size()) {
    stack.push_back(static_cast<int32_t>(hypotheses_.size()));
    hypotheses_.push_back(to);
    return;
  }
  // Recombination: the better way stays in the hypothesis, the other becomes an arc.
  Hypothesis& kept = hypotheses_[static_cast<size_t>(stack[position])];
  Arc arc{to.score, to.previous, to.option, kept.next_arc};
  if (to.score > kept.score) {
    arc = {kept.score, kept.previous, kept.option, kept.next_arc};
    kept.score = to.score;
    kept.previous = to.previous;
    kept.option = to.option;
  }
  kept.next_arc = static_cast<int32_t>(arcs_.size());
  arcs_.push_back(arc);
}

Search::LmStep Search::lm_step(int32_t state, const Option& option) {
  const uint64_t key = static_cast<uint64_t>(state) << 32 | static_cast<uint32_t>(table_->id(option));
  if (const LmStep* known = lm_steps_.find(key)) return *known;
  LmState at = lm_states_[state];
  double log_prob = 0;
  for (const int32_t word : option.target) {
    LmState after;
    log_prob += model_.lm.score(at, model_.lm_word(word), after);
    at = after;
  }
  const LmStep step{static_cast<float>(weights_[kLanguageModel] * log_prob), lm_states_.intern(at)};
  lm_steps_.insert(key, step);
  return step;
}

void Search::prune(std::vector<int32_t>& stack) const {
  const auto better = [&](int32_t a, int32_t b) {
    const double x = (*this)[a].total(), y = (*this)[b].total();
    return x != y ? x > y : a < b;
  };
  if (options_.threshold > 0 && !stack.empty()) {
    const int32_t best = *std::min_element(stack.begin(), stack.end(), better);
    const double worst = (*this)[best].total() - static_cast<double>(options_.threshold);
    std::erase_if(stack, [&](int32_t id) { return (*this)[id].total() < worst; });
  }
  const auto size = static_cast<size_t>(options_.stack_size);
  if (size > 0 && stack.size() > size) {
    std::nth_element(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(size), stack.end(),
                     better);
    stack.resize(size);
  }
  // Hypotheses at one place next to each other, best first.
  std::sort(stack.begin(), stack.end(), [&](int32_t a, int32_t b) {
    return (*this)[a].place != (*this)[b].place ? (*this)[a].place < (*this)[b].place : better(a, b);
  });
}

void Search::open_cubes(std::span<const int32_t> stack) {
  for (size_t from = 0; from < stack.size();) {
    size_t to = from + 1;
    const int32_t place = (*this)[stack[from]].place;
    while (to < stack.size() && (*this)[stack[to]].place == place) ++to;
    open_cubes_at(Place(places_[place]), stack.subspan(from, to - from));
    from = to;
  }
}

void Search::open_cubes_at(const Place& place, std::span<const int32_t> hypotheses) {
  const Coverage coverage = coverages_[place.coverage];
  const int n = table_->size();
  const int limit = options_.distortion_limit;
  // No block may begin further right: from there, the way back to the first gap is too long.
  const int last = limit < 0 ? n : std::min(n, coverage.first + limit + 1);
  for (int begin = coverage.first; begin < last; ++begin) {
    for (int end = begin + 1; end <= std::min(n, begin + table_->max_words()); ++end) {
      if (!coverage.can_add(begin, end)) break;
      const auto options = table_->span(begin, end);
      if (options.empty() || !may_jump(place, coverage, begin, end)) continue;
      const int32_t after = intern(coverage.with(begin, end));
      Cube cube{};
      cube.hypotheses = hypotheses;
      cube.options = options;
      cube.place = places_.intern({after, begin, end});
      cube.orientation = begin == place.last_end  ? kMonotone
                         : end == place.last_begin ? kSwap
                                                   : kDiscontinuous;
      cube.step_score =
          static_cast<float>(-weights_[kDistance] * std::abs(begin - place.last_end));
      cube.future = futures_[static_cast<size_t>(after)];
      cubes_[static_cast<size_t>(coverages_[after].count())].push_back(cube);
    }
  }
}

bool Search::may_jump(const Place& place, const Coverage& coverage, int begin, int end) const {
  const int limit = options_.distortion_limit;
  if (limit < 0) return true;
  if (std::abs(begin - place.last_end) > limit) return false;
  // A block beyond the first gap must leave the way back open.
  return begin == coverage.first || end - coverage.first <= limit;
}

void Search::finish_sentence() {
  auto& stack = stacks_.back();
  for (const int32_t id : stack) {
    Hypothesis& hypothesis = hypotheses_[static_cast<size_t>(id)];
    LmState after;
    const double end = weights_[kLanguageModel] *
                       model_.lm.score(lm_states_[hypothesis.lm_state], kEndWord, after);
    hypothesis.score += end;
    for (int32_t at = hypothesis.next_arc; at >= 0; at = arcs_[static_cast<size_t>(at)].next_arc) {
      arcs_[static_cast<size_t>(at)].score += end;
    }
  }
  std::sort(stack.begin(), stack.end(), [&](int32_t a, int32_t b) {
    return (*this)[a].score != (*this)[b].score ? (*this)[a].score > (*this)[b].score : a < b;
  });
  best_ = stack.empty() ? -1 : stack.front();
}

int32_t Search::intern(const Coverage& coverage) {
  const int32_t id = coverages_.intern(coverage);
  if (static_cast<size_t>(id) == futures_.size()) futures_.push_back(table_->future(coverage));
  return id;
}

}  // namespace calque
