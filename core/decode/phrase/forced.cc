#include "decode/phrase/forced.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "decode/phrase/translation_graph.h"
#include "parallel.h"

namespace calque {
namespace {

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

// The best hypothesis of the longest prefix pair: most source words, then most target words.
int32_t longest_prefix(const SearchGraph& graph) {
  int32_t longest = 0;
  const auto rank = [&](int32_t id) {
    return std::tuple(graph.coverage(graph[id]).first, graph[id].target, graph[id].score);
  };
  for (int32_t id = 1; id < static_cast<int32_t>(graph.hypotheses.size()); ++id) {
    if (graph.coverage(graph[id]).later == 0 && rank(id) > rank(longest)) longest = id;
  }
  return longest;
}

Forced force_one(const ModelView& model, const ForcedOptions& options, ForcedSearch& search,
                 const SentenceView& source, std::span<const int32_t> reference) {
  Forced result;
  const SearchGraph* graph = search.run(source, reference);
  result.truncated = graph == nullptr;
  if (result.truncated) return result;

  result.reachable = search.reached();
  const int32_t end = result.reachable ? graph->complete.front() : longest_prefix(*graph);
  result.prefix_source = graph->coverage((*graph)[end]).first;
  result.prefix_target = (*graph)[end].target;
  if (result.reachable) {
    result.n_derivations = count_derivations(*graph);
    result.n_states = std::ranges::count(on_ways_to(*graph, graph->complete), true);
  }
  const auto& [shortest, derives] = options.prefixes;
  if (result.reachable || (derives && result.prefix_source >= shortest)) {
    result.best = derivation_to(*graph, search.table(), model, end, result.reachable);
  }
  return result;
}

}  // namespace

std::vector<Forced> force(const ModelView& model, const WeightView& weights,
                          const ForcedOptions& options, const SourceText& source,
                          std::span<const int32_t> references,
                          std::span<const int64_t> reference_offsets, int n_threads) {
  const SourceText wanted{references, reference_offsets, references, {}, 0, {}};
  std::vector<Forced> results(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    return [&, search = ForcedSearch(model, weights, options.reordering, options.limits,
                                     options.leave_one_out)](size_t at, size_t) mutable {
      results[at] =
          force_one(model, options, search, source.sentence(at), wanted.sentence(at).words);
    };
  });
  return results;
}

}  // namespace calque
