#include "decode/forced.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "decode/search.h"
#include "decode/translation_graph.h"
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

// How many words of the source, from the first on, the options can cover whatever their order. What
// lies beyond is in no prefix pair, nor is any hypothesis that covers a part of it.
size_t coverable(const OptionTable& table) {
  const auto n = static_cast<size_t>(table.size());
  std::vector<bool> reached(n + 1, false);
  reached[0] = true;
  size_t longest = 0;
  for (size_t begin = 0; begin < n; ++begin) {
    if (!reached[begin]) continue;
    const size_t last = std::min(n, begin + static_cast<size_t>(table.max_words()));
    for (size_t end = begin + 1; end <= last; ++end) {
      if (table.span(static_cast<int>(begin), static_cast<int>(end)).empty()) continue;
      reached[end] = true;
      longest = std::max(longest, end);
    }
  }
  return longest;
}

// For each source word the last place in the reference where an option that covers it matches.
std::vector<int32_t> latest_places(const OptionTable& table, std::span<const int32_t> reference) {
  std::vector<int32_t> latest(static_cast<size_t>(table.size()), -1);
  for (int begin = 0; begin < table.size(); ++begin) {
    for (int end = begin + 1; end <= std::min(table.size(), begin + table.max_words()); ++end) {
      for (const Option& option : table.span(begin, end)) {
        const auto match = std::ranges::find_end(reference, option.target);
        const auto place = static_cast<int32_t>(match.begin() - reference.begin());
        for (int word = begin; word < end; ++word) {
          int32_t& known = latest[static_cast<size_t>(word)];
          known = std::max(known, place);
        }
      }
    }
  }
  return latest;
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

// Forces one sentence after the other; one per thread.
class Forcer {
 public:
  Forcer(const ModelView& model, const WeightView& weights, const ForcedOptions& options)
      : model_(model), weights_(weights), options_(options),
        collector_(model, weights, {0, 0, 0, false}, {options.reordering.least_left_count, false},
                   options.leave_one_out),
        search_(*model.features, weights,
                {options.reordering, 0, 0, 0, false, false, options.max_bytes, 0, false},
                ForcedTarget(model, weights, {}, false, {})) {}

  Forced force(const SentenceView& source, std::span<const int32_t> reference);

 private:
  ModelView model_;
  WeightView weights_;
  ForcedOptions options_;
  OptionCollector collector_;
  OptionTable table_;
  Search<ForcedTarget> search_;
};

Forced Forcer::force(const SentenceView& source, std::span<const int32_t> reference) {
  Forced result;
  result.truncated = source.size() > options_.max_words;
  if (result.truncated) return result;

  collector_.collect(table_, source, {}, reference);
  const size_t n = coverable(table_);
  const bool whole = n == source.words.size();
  if (!whole) collector_.collect(table_, source.first(n), {}, reference);
  search_.set_target({model_, weights_, reference, whole, latest_places(table_, reference)});
  const SearchGraph& graph = search_.run(table_);
  result.truncated = graph.truncated;
  if (result.truncated) return result;

  result.reachable = whole && !graph.complete.empty();
  const int32_t end = result.reachable ? graph.complete.front() : longest_prefix(graph);
  result.prefix_source = graph.coverage(graph[end]).first;
  result.prefix_target = graph[end].target;
  if (result.reachable) {
    result.n_derivations = count_derivations(graph);
    result.n_states = std::ranges::count(on_complete_ways(graph), true);
  }
  if (result.reachable || (options_.derive_prefix && result.prefix_source >= options_.min_prefix)) {
    result.best = derivation_to(graph, table_, model_, end, result.reachable);
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
    return [&, forcer = Forcer(model, weights, options)](size_t at, size_t) mutable {
      results[at] = forcer.force(source.sentence(at), wanted.sentence(at).words);
    };
  });
  return results;
}

}  // namespace calque
