#include "decode/forced.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "decode/search.h"

namespace calque {
namespace {

// Which hypotheses lie on a way to a complete one.
std::vector<bool> useful(const SearchGraph& graph) {
  std::vector<bool> marked(graph.hypotheses.size(), false);
  for (const int32_t id : graph.complete) marked[static_cast<size_t>(id)] = true;
  for (size_t id = graph.hypotheses.size(); id-- > 0;) {  // predecessors come before
    if (!marked[id]) continue;
    graph.for_each_way(graph.hypotheses[id], [&](double, int32_t previous, int32_t) {
      marked[static_cast<size_t>(previous)] = true;
    });
  }
  return marked;
}

double count_derivations(const SearchGraph& graph) {
  std::vector<double> ways(graph.hypotheses.size(), 0);
  for (size_t id = 0; id < ways.size(); ++id) {
    if (graph.hypotheses[id].previous < 0) ways[id] = 1;
    graph.for_each_way(graph.hypotheses[id], [&](double, int32_t previous, int32_t) {
      ways[id] += ways[static_cast<size_t>(previous)];
    });
  }
  double sum = 0;
  for (const int32_t id : graph.complete) sum += ways[static_cast<size_t>(id)];
  return sum;
}

struct ForcedSearch {
  OptionTable table;
  Search<ForcedTarget> search;
  const SearchGraph& graph;

  ForcedSearch(const ModelView& model, const DenseVector& weights, const ForcedOptions& options,
               std::span<const int32_t> source, std::span<const int32_t> copies,
               std::span<const int32_t> reference, bool ends)
      : table(collect(model, weights, source, copies)),
        search(weights, {options.reordering, 0, 0, 0, false, options.max_states, 0},
               ForcedTarget(model, weights, reference, ends)),
        graph(search.run(table)) {}

  static OptionTable collect(const ModelView& model, const DenseVector& weights,
                             std::span<const int32_t> source, std::span<const int32_t> copies) {
    OptionTable table;
    table.collect(model, weights, source, copies, 0);
    return table;
  }
};

}  // namespace

Forced force(const ModelView& model, const DenseVector& weights, const ForcedOptions& options,
             std::span<const int32_t> source, std::span<const int32_t> copies,
             std::span<const int32_t> reference) {
  Forced result;
  if (source.size() > static_cast<size_t>(options.max_words)) {
    result.truncated = true;
    return result;
  }
  const ForcedSearch whole(model, weights, options, source, copies, reference, true);
  const SearchGraph& graph = whole.graph;
  if (graph.truncated) {
    result.truncated = true;
    return result;
  }
  for (const Hypothesis& hypothesis : graph.hypotheses) {
    const Coverage& covered = graph.coverage(hypothesis);
    if (covered.later != 0) continue;
    std::tie(result.prefix_source, result.prefix_target) =
        std::max(std::tuple(result.prefix_source, result.prefix_target),
                 std::tuple(covered.first, hypothesis.target));
  }
  result.reachable = !graph.complete.empty();
  if (result.reachable) {
    result.n_derivations = count_derivations(graph);
    const auto marked = useful(graph);
    result.n_states = std::count(marked.begin(), marked.end(), true);
    result.best = best_derivations(graph, whole.table, model, 1, false).front();
    result.prefix_source = static_cast<int32_t>(source.size());
    result.prefix_target = static_cast<int32_t>(reference.size());
  } else if (options.derive_prefix && result.prefix_source >= options.min_prefix) {
    const auto n = static_cast<size_t>(result.prefix_source);
    const auto m = static_cast<size_t>(result.prefix_target);
    const ForcedSearch prefix(model, weights, options, source.first(n), copies.first(n),
                              reference.first(m), false);
    result.best = best_derivations(prefix.graph, prefix.table, model, 1, false).front();
    result.best.features = extract_features(model, result.best.steps, false);
  }
  return result;
}

}  // namespace calque
