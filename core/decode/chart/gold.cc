#include "decode/chart/gold.h"

#include <utility>
#include <vector>

#include "parallel.h"

namespace calque {
namespace {

// What is in reach of one pair: source and target words, ascending.
struct Found {
  std::vector<std::pair<int32_t, int32_t>> pairs;
  bool is_whole = false;
  bool too_large = false;
};

Found find_one(const ChartGoldOptions& options, ChartForcedSearch& search,
               const SentenceView& source, std::span<const int32_t> reference) {
  Found found;
  const Hypergraph* graph = search.run(source, reference);
  found.too_large = graph == nullptr;
  if (found.too_large) return found;
  const int n_target = static_cast<int>(reference.size());
  if (!graph->complete.empty()) {
    found.is_whole = true;
    found.pairs.emplace_back(source.size(), n_target);
    return found;
  }
  for (int i = std::max(1, options.min_prefix); i <= source.size(); ++i) {
    for (int j = 1; j <= n_target; ++j) {
      if (search.prefix(i, j) >= 0) found.pairs.emplace_back(i, j);
    }
  }
  if (!options.all_prefixes && !found.pairs.empty()) found.pairs = {found.pairs.back()};
  return found;
}

}  // namespace

GoldLattices find_chart_gold(const ModelView& model, const PrefixIndex& index,
                             const ChartGoldOptions& options, const SourceText& source,
                             const ReferenceTexts::Text& references, int n_threads) {
  const std::vector<double> zeros(model.dense().size());
  const WeightView no_weights{zeros, nullptr};  // what is in reach is no matter of weights
  const SourceText wanted{references.ids, references.offsets, references.ids, {}, 0, {}};
  std::vector<Found> found(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    return [&, search = ChartForcedSearch(model, no_weights, index, options.space, options.limits,
                                          options.leave_one_out)](size_t at, size_t) mutable {
      found[at] = find_one(options, search, source.sentence(at), wanted.sentence(at).words);
    };
  });
  GoldLattices all;
  for (size_t at = 0; at < found.size(); ++at) {
    all.n_too_large += found[at].too_large;
    for (const auto& [n_source, n_target] : found[at].pairs) {
      all.pairs.push_back(static_cast<int64_t>(at));
      all.n_source.push_back(n_source);
      all.n_target.push_back(n_target);
      all.is_whole.push_back(found[at].is_whole);
      all.offsets.push_back(0);
    }
  }
  return all;
}

}  // namespace calque
