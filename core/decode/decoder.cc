#include "decode/decoder.h"

#include "decode/oracle.h"
#include "parallel.h"

namespace calque {

std::vector<Decoded> decode(const ModelView& model, const DenseVector& weights,
                            const DecodeOptions& options, const SourceText& source,
                            const Constraints& constraints, int n_threads) {
  std::vector<Decoded> results(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    return [&, table = OptionTable(model, weights, options.options_per_span),
            search = Search(weights, options.search, LmTarget(model, weights))](size_t at,
                                                                               size_t) mutable {
      table.collect(source.sentence(at), source.sentence_copies(at), constraints.sentence(at));
      const SearchGraph& graph = search.run(table);
      results[at] = {best_derivations(graph, table, model, options.n_best, options.distinct),
                     graph.n_generated};
    };
  });
  return results;
}

TranslationGraph decode_graph(const ModelView& model, const DenseVector& weights,
                              const DecodeOptions& options, const SourceText& source, size_t at) {
  OptionTable table(model, weights, options.options_per_span);
  table.collect(source.sentence(at), source.sentence_copies(at));
  Search search(weights, options.search, LmTarget(model, weights));
  return translation_graph(search.run(table), table);
}

std::vector<Decoded> decode_oracle(const ModelView& model, const DecodeOptions& options,
                                   const SourceText& source, std::span<const int32_t> references,
                                   std::span<const int64_t> reference_offsets, int n_threads) {
  constexpr DenseVector kNoWeights{};
  const SourceText wanted{references, reference_offsets, references};
  std::vector<Decoded> results(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    return [&, table = OptionTable(model, kNoWeights, 0)](size_t at, size_t) mutable {
      // Without weights every option is as good as any other: none may be cut.
      table.collect(source.sentence(at), source.sentence_copies(at));
      Search search(kNoWeights, options.search, OracleTarget(wanted.sentence(at)));
      const SearchGraph& graph = search.run(table);
      results[at] = {best_derivations(graph, table, model, options.n_best, options.distinct),
                     graph.n_generated};
    };
  });
  return results;
}

}  // namespace calque
