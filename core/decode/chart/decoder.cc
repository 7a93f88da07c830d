#include "decode/chart/decoder.h"

#include <algorithm>
#include <functional>
#include <string>

#include "decode/chart/derivations.h"
#include "decode/chart/oracle_sides.h"
#include "error.h"
#include "parallel.h"

namespace calque {
void check_chart_features(const FeatureSet& features) {
  const DenseSet& dense = features.dense;
  const auto refuse = [&](size_t index) {
    throw Error("dense feature '" + dense.names[index] +
                "' looks at the order of blocks: engine=chart has no such features");
  };
  for (const auto& column : dense.orientation_columns) refuse(column.index);
  for (const auto& column : dense.merged_columns) refuse(column.index);
  for (const auto& distance : dense.distances) refuse(distance.index);
  for (const auto& jump : dense.jumps) refuse(jump.index);
  for (const auto& column : dense.block_columns) {
    if (column.steps != Steps::kAll) refuse(column.index);
  }
  for (const auto& lm : dense.lms) {
    if (lm.steps != Steps::kAll || !lm.first || !lm.rest) refuse(lm.index);
  }
  for (const Scope scope : kScopesOfSearch) {
    if (features.sparse.has(scope)) {
      throw Error("sparse features look at the order of blocks: engine=chart has only those of a "
                  "block and its place in the sentence");
    }
  }
}

std::vector<Decoded> decode_chart(const ModelView& model, const PrefixIndex& index,
                                  const WeightView& weights, const ChartDecodeOptions& options,
                                  const SourceText& source, const Constraints& constraints,
                                  int n_threads) {
  std::vector<Decoded> results(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    return [&, search = ChartSearch(model, weights, index, options.limits, options.search,
                                  options.leave_one_out, LmSides(model, weights))](
               size_t at, size_t) mutable {
      const SentenceView sentence = source.sentence(at);
      if (sentence.size() == 0) {
        results[at].derivations.push_back(empty_chart_derivation(model, weights));
        return;
      }
      const Hypergraph& graph = search.run(sentence, constraints.sentence(at));
      results[at] = {best_chart_derivations(graph, search.rules(), model, options.n_best,
                                            options.distinct),
                     graph.n_generated};
    };
  });
  return results;
}

std::vector<Decoded> decode_chart_oracle(const ModelView& model, const PrefixIndex& index,
                                         const ChartDecodeOptions& options, bool brevity_penalty,
                                         const SourceText& source, const ReferenceTexts& references,
                                         int n_threads) {
  const std::vector<double> zeros(model.dense().size());
  const WeightView no_weights{zeros, nullptr};  // the references choose
  std::vector<Decoded> results(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    return [&, search = ChartSearch(model, no_weights, index, options.limits, options.search,
                                    options.leave_one_out, OracleSides())](size_t at,
                                                                           size_t) mutable {
      const SentenceView sentence = source.sentence(at);
      if (sentence.size() == 0) {
        results[at].derivations.push_back(empty_chart_derivation(model, no_weights));
        return;
      }
      search.target().set_references(ReferenceNgrams(references.sentence(at)), brevity_penalty,
                                     sentence.size(), options.n_best);
      const Hypergraph& graph = search.run(sentence, {});
      results[at] = {best_chart_derivations(graph, search.rules(), model, options.n_best,
                                            options.distinct),
                     graph.n_generated};
      std::vector<int32_t> words;
      for (Derivation& derivation : results[at].derivations) {
        words.clear();
        append_words(derivation.steps, words);
        derivation.score = search.target().bleu(words);
      }
      std::ranges::stable_sort(results[at].derivations, std::ranges::greater{}, &Derivation::score);
    };
  });
  return results;
}

}  // namespace calque
