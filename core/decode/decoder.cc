#include "decode/decoder.h"

#include "decode/oracle.h"
#include "parallel.h"

namespace calque {

namespace {

// Calls visit(target) with the policy that the features ask for.
template <typename Visit>
auto with_target(const ModelView& model, const WeightView& weights, Visit visit) {
  const bool has_history = weights.sparse != nullptr && model.sparse().n_history() > 0;
  if (model.dense().class_lm || has_history) return visit(ContextTarget(model, weights));
  return visit(LmTarget(model, weights));
}

}  // namespace

std::vector<Decoded> decode(const ModelView& model, const WeightView& weights,
                            const DecodeOptions& options, const SourceText& source,
                            const Constraints& constraints, int n_threads) {
  std::vector<Decoded> results(source.size());
  with_target(model, weights, [&](const auto& target) {
    for_chunks(source.size(), 1, n_threads, [&] {
      return [&, table = OptionTable(model, weights, options.options_per_span),
              search = Search(*model.features, weights, options.search, target)](size_t at,
                                                                              size_t) mutable {
        table.collect(source.sentence(at), constraints.sentence(at));
        const SearchGraph& graph = search.run(table);
        results[at] = {best_derivations(graph, table, model, options.n_best, options.distinct),
                       graph.n_generated};
      };
    });
  });
  return results;
}

TranslationGraph decode_graph(const ModelView& model, const WeightView& weights,
                              const DecodeOptions& options, const SourceText& source, size_t at) {
  OptionTable table(model, weights, options.options_per_span);
  table.collect(source.sentence(at));
  return with_target(model, weights, [&](const auto& target) {
    Search search(*model.features, weights, options.search, target);
    return translation_graph(search.run(table), table);
  });
}

std::vector<Decoded> decode_oracle(const ModelView& model, const DecodeOptions& options,
                                   const SourceText& source, std::span<const int32_t> references,
                                   std::span<const int64_t> reference_offsets, int n_threads) {
  const std::vector<double> zeros(model.dense().size());
  const WeightView no_weights{zeros, nullptr};
  const SourceText wanted{references, reference_offsets, references, {}, 0};
  std::vector<Decoded> results(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    return [&, table = OptionTable(model, no_weights, 0)](size_t at, size_t) mutable {
      // Without weights every option is as good as any other: none may be cut.
      table.collect(source.sentence(at));
      Search search(*model.features, no_weights, options.search,
                    OracleTarget(wanted.sentence(at).words));
      const SearchGraph& graph = search.run(table);
      results[at] = {best_derivations(graph, table, model, options.n_best, options.distinct),
                     graph.n_generated};
    };
  });
  return results;
}

}  // namespace calque
