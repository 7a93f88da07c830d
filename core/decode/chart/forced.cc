#include "decode/chart/forced.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "decode/chart/derivations.h"
#include "parallel.h"

namespace calque {
namespace {

// Derivations of each vertex, as real numbers.
double count_derivations(const Hypergraph& graph, int32_t end) {
  std::vector<double> ways(graph.vertices.size(), 0);
  for (size_t id = 0; id <= static_cast<size_t>(end); ++id) {
    graph.for_each_way(graph.vertices[id], [&](const Application& way, double) {
      double product = 1;
      for_each_tail(way, [&](size_t tail) { product *= ways[tail]; });
      ways[id] += product;
    });
  }
  return ways[static_cast<size_t>(end)];
}

// Source and target words of the longest prefix pair: most source words, then most target words.
std::pair<int, int> longest_prefix(const ChartForcedSearch& search, int n_source, int n_target) {
  for (int i = n_source; i > 0; --i) {
    for (int j = n_target; j > 0; --j) {
      if (search.prefix(i, j) >= 0) return {i, j};
    }
  }
  return {0, 0};
}

Forced force_one(const ModelView& model, const WeightView& weights,
                 const ChartForcedOptions& options,
                 ChartForcedSearch& search, const SentenceView& source,
                 std::span<const int32_t> reference) {
  Forced result;
  Hypergraph* graph = search.run(source, reference);
  result.truncated = graph == nullptr;
  if (result.truncated) return result;

  const auto n_target = static_cast<int>(reference.size());
  if (source.size() == 0) {
    result.reachable = n_target == 0;
    result.n_derivations = result.n_states = result.reachable;
    if (result.reachable) result.best = empty_chart_derivation(model, weights);
    return result;
  }
  std::tie(result.prefix_source, result.prefix_target) =
      longest_prefix(search, source.size(), n_target);
  result.reachable = !graph->complete.empty();
  if (result.reachable) {
    const int32_t whole = graph->complete.front().vertex;
    result.n_derivations = count_derivations(*graph, whole);
    result.n_states = std::ranges::count(on_ways_to(*graph, whole), true);
  } else if (options.prefixes.derive && result.prefix_source > 0 &&
             result.prefix_source >= options.prefixes.shortest) {
    graph->complete.push_back({search.prefix(result.prefix_source, result.prefix_target),
                               search.lm_score(result.prefix_target)});
  }
  if (graph->complete.empty()) return result;
  result.best = std::move(best_chart_derivations(*graph, search.rules(), model, 1, false,
                                                 {.begins = true, .ends = result.reachable})
                              .front());
  return result;
}

}  // namespace

std::vector<Forced> force_chart(const ModelView& model, const PrefixIndex& index,
                                const WeightView& weights, const ChartForcedOptions& options,
                                const SourceText& source, const ReferenceTexts::Text& references,
                                int n_threads) {
  const SourceText wanted{references.ids, references.offsets, references.ids, {}, 0, {}};
  std::vector<Forced> results(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    return [&, search = ChartForcedSearch(model, weights, index, options.space, options.limits,
                                          options.leave_one_out)](size_t at, size_t) mutable {
      results[at] =
          force_one(model, weights, options, search, source.sentence(at), wanted.sentence(at).words);
    };
  });
  return results;
}

}  // namespace calque
