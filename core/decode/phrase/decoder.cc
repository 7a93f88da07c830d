#include "decode/phrase/decoder.h"

#include <algorithm>

#include "decode/phrase/oracle.h"
#include "parallel.h"

namespace calque {
namespace {

// The options of so many sentences, or words, are collected before any of these is searched: both
// have tables that fill the cache, and drive out those of the other.
constexpr size_t kSentencesAtOnce = 32;
constexpr size_t kWordsAtOnce = 1024;

}  // namespace

std::vector<Decoded> decode(const ModelView& model, const WeightView& weights,
                            const DecodeOptions& options, const SourceText& source,
                            const Constraints& constraints, int n_threads) {
  std::vector<Decoded> results(source.size());
  const auto n_shares = 16 * static_cast<size_t>(std::max(1, n_threads));  // at least
  const size_t chunk = std::clamp<size_t>(source.size() / n_shares, 1, kSentencesAtOnce);
  with_target(model, weights, [&](const auto& target) {
    for_chunks(source.size(), chunk, n_threads, [&] {
      return [&,
              collector = OptionCollector(model, weights, options.limits,
                                          options.search.option_use(),
                                          options.leave_one_out),
              tables = std::vector<OptionTable>(chunk),
              search = Search(*model.features, weights, options.search, target)](
                 size_t at, size_t end) mutable {
        while (at < end) {
          const size_t first = at;
          size_t n_words = 0, n_collected = 0;
          for (; first + n_collected < end && n_words < kWordsAtOnce; ++n_collected) {
            const SentenceView sentence = source.sentence(first + n_collected);
            collector.collect(tables[n_collected], sentence,
                              constraints.sentence(first + n_collected));
            n_words += sentence.words.size();
          }
          for (; at < first + n_collected; ++at) {
            const OptionTable& table = tables[at - first];
            const SearchGraph& graph = search.run(table);
            results[at] = {best_derivations(graph, table, model, options.n_best, options.distinct),
                           graph.n_generated};
          }
        }
      };
    });
  });
  return results;
}

TranslationGraph decode_graph(const ModelView& model, const WeightView& weights,
                              const DecodeOptions& options, const SourceText& source, size_t at) {
  OptionTable table;
  OptionCollector collector(model, weights, options.limits,
                            options.search.option_use());
  collector.collect(table, source.sentence(at));
  return with_target(model, weights, [&](const auto& target) {
    Search search(*model.features, weights, options.search, target);
    return translation_graph(search.run(table), table);
  });
}

std::vector<Decoded> decode_oracle(const ModelView& model, const DecodeOptions& options,
                                   bool brevity_penalty, const SourceText& source,
                                   const ReferenceTexts& references, int n_threads) {
  const std::vector<double> zeros(model.dense().size());
  const WeightView no_weights{zeros, nullptr};
  std::vector<Decoded> results(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    // Without weights every option is as good as any other: the references choose.
    return [&,
            collector = OptionCollector(model, no_weights, options.limits,
                                        options.search.option_use(),
                                        options.leave_one_out),
            table = OptionTable()](size_t at, size_t) mutable {
      collector.collect(table, source.sentence(at));
      ReferenceNgrams ngrams(references.sentence(at));
      keep_useful(table, ngrams, brevity_penalty, options.n_best);
      Search search(*model.features, no_weights, options.search,
                    OracleTarget(std::move(ngrams), brevity_penalty, table));
      const SearchGraph& graph = search.run(table);
      results[at] = {best_derivations(graph, table, model, options.n_best, options.distinct),
                     graph.n_generated};
    };
  });
  return results;
}

}  // namespace calque
