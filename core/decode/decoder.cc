#include "decode/decoder.h"

#include "parallel.h"

namespace calque {

std::vector<Decoded> decode(const ModelView& model, const DenseVector& weights,
                            const DecodeOptions& options, std::span<const int32_t> ids,
                            std::span<const int64_t> offsets, int n_threads) {
  const size_t n_sentences = offsets.size() - 1;
  std::vector<Decoded> results(n_sentences);
  for_chunks(n_sentences, 1, n_threads, [&] {
    return [&, table = OptionTable(), search = Search(model, weights, options.search)](
               size_t at, size_t) mutable {
      const auto source = ids.subspan(static_cast<size_t>(offsets[at]),
                                      static_cast<size_t>(offsets[at + 1] - offsets[at]));
      table.collect(model, weights, source, options.options_per_span);
      search.run(source, table);
      results[at].derivations =
          best_derivations(search, table, model, options.n_best, options.distinct);
      results[at].n_generated = search.n_generated();
    };
  });
  return results;
}

}  // namespace calque
