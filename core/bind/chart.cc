#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/decoder.h"
#include "bind/derivations.h"
#include "bind/gold.h"
#include "bind/violations.h"
#include "decode/chart/decoder.h"
#include "decode/chart/derivations.h"
#include "decode/chart/forced.h"
#include "decode/chart/gold.h"
#include "tune/chart_violation.h"

namespace calque::bind {
namespace {

// A loaded model of rules, and the trie over their source sides.
struct BoundChartDecoder : BoundDecoder {
  BoundChartDecoder(nb::object blocks_owner, nb::object lm_owner, Vector<int32_t> lm_words,
                    nb::object features_owner, Vector<int32_t> symbols_of_nodes,
                    Vector<int32_t> first_children, Vector<int32_t> phrases_of_nodes)
      : BoundDecoder(blocks_owner, lm_owner, lm_words, features_owner),
        symbols(symbols_of_nodes),
        first_child(first_children),
        phrases(phrases_of_nodes),
        index{view(symbols), view(first_child), view(phrases)} {
    check_chart_features(*model.features);
    check_index();
    check_rules();
  }

  void check_index() const {
    const size_t n = index.symbols.size();
    check_size(index.first_child.size(), n + 1, "first children of prefixes");
    check_size(index.phrases.size(), n, "phrases of prefixes");
    bool is_right = n > 0 && index.first_child[0] == 1 &&
                    static_cast<size_t>(index.first_child[n]) == n;
    for (size_t i = 0; i < n && is_right; ++i) {
      is_right = index.first_child[i] <= index.first_child[i + 1] &&
                 index.phrases[i] < model.blocks.n_sources();
    }
    if (!is_right) throw Error("the index of prefixes is damaged or of another table");
  }

  // A target side has the gaps of its source side, each once.
  void check_rules() const {
    for (int64_t phrase = 0; phrase < model.blocks.n_sources(); ++phrase) {
      const int gaps = gaps_of(model.blocks.source(phrase));
      const auto [first, last] = model.blocks.blocks(phrase);
      for (int64_t block = first; block < last; ++block) {
        if (gaps < 0 || gaps_of(model.blocks.target(block)) != gaps) {
          throw Error("a rule has other gaps on its target side than on its source side");
        }
      }
    }
  }
  // Which gaps there are, as bits; -1: one of them twice.
  static int gaps_of(std::span<const int32_t> side) {
    int gaps = 0;
    for (const int32_t symbol : side) {
      if (!is_gap(symbol)) continue;
      if (gaps & symbol) return -1;
      gaps |= symbol;
    }
    return gaps;
  }

  Vector<int32_t> symbols, first_child, phrases;
  PrefixIndex index;
};

template <typename Derivations>
auto sparse_rows(const BoundChartDecoder& decoder, const SourceText& source, int threads,
                 Derivations derivations) {
  SparseRows rows;
  {
    nb::gil_scoped_release release;
    rows = extract_sparse_rows(source, threads, derivations,
                               [&](const SentenceView& sentence, std::span<const Step> steps) {
                                 check_chart_steps(decoder.model, sentence, steps);
                                 return extract_chart_sparse(decoder.model, sentence, steps);
                               });
  }
  return to_arrays(std::move(rows));
}

}  // namespace

void register_chart(nb::module_& m) {
  nb::class_<ChartOptions>(m, "ChartOptions", "How far a chart search goes.")
      .def(
          "__init__",
          [](ChartOptions* self, int max_span, int shallow, int pop_limit, double threshold,
             double time_limit_s, int stack_size) {
            new (self) ChartOptions{max_span, shallow, pop_limit, threshold, time_limit_s, stack_size};
          },
          nb::kw_only(), nb::arg("max_span"), nb::arg("shallow"), nb::arg("pop_limit"),
          nb::arg("threshold"), nb::arg("time_limit_s"), nb::arg("stack_size"));
  nb::class_<TargetLimits>(m, "TargetLimits", "How many target sides of rules are kept; 0: all.")
      .def(
          "__init__",
          [](TargetLimits* self, int per_source, int in_sentence, int max_targets) {
            new (self) TargetLimits{per_source, in_sentence, max_targets};
          },
          nb::kw_only(), nb::arg("per_source"), nb::arg("in_sentence"), nb::arg("max_targets"));

  nb::class_<BoundChartDecoder>(m, "ChartDecoder", "A loaded model of rules that translates.")
      .def(nb::init<nb::object, nb::object, Vector<int32_t>, nb::object, Vector<int32_t>,
                    Vector<int32_t>, Vector<int32_t>>(),
           nb::arg("blocks"), nb::arg("lm"), nb::arg("lm_words"), nb::arg("features"),
           nb::arg("symbols"), nb::arg("first_child"), nb::arg("phrases"),
           "`lm_words` holds the language-model id of each target id; empty: the same ids. The "
           "last three are what `index_prefixes` gives.")
      .def(
          "decode",
          [](const BoundChartDecoder& decoder, const BoundSource& text, const BoundWeights& given,
             const ChartOptions& search, Vector<int64_t> constraint_offsets,
             Vector<int32_t> constraint_spans, Vector<int64_t> constraint_target_offsets,
             Vector<int32_t> constraint_targets, const BoundLeaveOneOut* leave_one_out,
             const TargetLimits& limits, int n_best, bool distinct, int threads) {
            const WeightView weights = to_weights(decoder, given);
            SourceText source = to_source(decoder, text);
            const LeaveOneOut* without = leave_out(source, decoder, leave_one_out);
            const Constraints constraints =
                to_constraints(decoder, source, constraint_offsets, constraint_spans,
                               constraint_target_offsets, constraint_targets);
            nb::gil_scoped_release release;
            return decode_chart(decoder.model, decoder.index, weights,
                                {search, limits, n_best, distinct, without}, source, constraints,
                                threads);
          },
          nb::arg("source"), nb::arg("weights"), nb::arg("search"), nb::arg("constraint_offsets"),
          nb::arg("constraint_spans"), nb::arg("constraint_target_offsets"),
          nb::arg("constraint_targets"), nb::arg("leave_one_out").none(), nb::kw_only(),
          nb::arg("limits"), nb::arg("n_best"), nb::arg("distinct"), nb::arg("threads"),
          "The best derivations of every sentence; the arguments are those of `Decoder.decode`.")
      .def(
          "decode_batch",
          [](const BoundChartDecoder& decoder, const BoundSource& text, const BoundWeights& given,
             const ChartOptions& search, const BoundLeaveOneOut* leave_one_out,
             const TargetLimits& limits, int n_best, bool distinct, int threads) {
            const WeightView weights = to_weights(decoder, given);
            SourceText source = to_source(decoder, text);
            const LeaveOneOut* without = leave_out(source, decoder, leave_one_out);
            nb::gil_scoped_release release;
            DecodedBatch batch;
            batch.decoded = decode_chart(decoder.model, decoder.index, weights,
                                         {search, limits, n_best, distinct, without}, source, {},
                                         threads);
            batch.lists = flatten(batch.decoded);
            return batch;
          },
          nb::arg("source"), nb::arg("weights"), nb::arg("search"),
          nb::arg("leave_one_out").none(), nb::kw_only(), nb::arg("limits"), nb::arg("n_best"),
          nb::arg("distinct"), nb::arg("threads"),
          "The same without constraints, as arrays.")
      .def(
          "oracle",
          [](const BoundChartDecoder& decoder, const BoundSource& text,
             const BoundReferences& references, const ChartOptions& search,
             const BoundLeaveOneOut* leave_one_out, bool brevity_penalty, int max_targets,
             int n_best, bool distinct, int threads) {
            SourceText source = to_source(decoder, text);
            const LeaveOneOut* without = leave_out(source, decoder, leave_one_out);
            const ReferenceTexts texts = to_references(source, references);
            nb::gil_scoped_release release;
            DecodedBatch batch;
            batch.decoded = decode_chart_oracle(decoder.model, decoder.index,
                                                {search, {0, 0, max_targets}, n_best, distinct, without},
                                                brevity_penalty, source, texts, threads);
            batch.lists = flatten(batch.decoded);
            return batch;
          },
          nb::arg("source"), nb::arg("references"), nb::arg("search"),
          nb::arg("leave_one_out").none(), nb::kw_only(), nb::arg("brevity_penalty"),
          nb::arg("max_targets"), nb::arg("n_best"), nb::arg("distinct"), nb::arg("threads"),
          "The derivations of highest sentence BLEU; the arguments are those of `Decoder.oracle`.")
      .def(
          "force",
          [](const BoundChartDecoder& decoder, const BoundSource& text, Vector<int32_t> references,
             Vector<int64_t> reference_offsets, const BoundWeights& given,
             const ChartOptions& search, const BoundLeaveOneOut* leave_one_out,
             int64_t max_bytes, int max_words, int min_prefix, bool derive_prefix, int threads) {
            const WeightView weights = to_weights(decoder, given);
            SourceText source = to_source(decoder, text);
            check_references(source, references, reference_offsets);
            const ChartForcedOptions options{{search.max_span, search.shallow},
                                             {max_bytes, max_words},
                                             {min_prefix, derive_prefix},
                                             leave_out(source, decoder, leave_one_out)};
            nb::gil_scoped_release release;
            return force_chart(decoder.model, decoder.index, weights, options, source,
                               {view(references), view(reference_offsets)}, threads);
          },
          nb::arg("source"), nb::arg("references"), nb::arg("reference_offsets"),
          nb::arg("weights"), nb::arg("search"), nb::arg("leave_one_out").none(), nb::kw_only(),
          nb::arg("max_bytes"), nb::arg("max_words"), nb::arg("min_prefix"),
          nb::arg("derive_prefix"), nb::arg("threads"),
          "Which sentence pairs can be derived, in how many ways, and the best way.")
      .def(
          "find_gold",
          [](const BoundChartDecoder& decoder, const BoundSource& text, Vector<int32_t> references,
             Vector<int64_t> reference_offsets, const ChartOptions& search,
             const BoundLeaveOneOut* leave_one_out, int64_t max_bytes, int max_words,
             int min_prefix, bool all_prefixes, int threads) {
            SourceText source = to_source(decoder, text);
            check_references(source, references, reference_offsets);
            const ChartGoldOptions options{{search.max_span, search.shallow},
                                           {max_bytes, max_words},
                                           min_prefix,
                                           all_prefixes,
                                           leave_out(source, decoder, leave_one_out)};
            GoldLattices found;
            {
              nb::gil_scoped_release release;
              found = find_chart_gold(decoder.model, decoder.index, options, source,
                                      {view(references), view(reference_offsets)}, threads);
            }
            return to_arrays(std::move(found));
          },
          nb::arg("source"), nb::arg("references"), nb::arg("reference_offsets"),
          nb::arg("search"), nb::arg("leave_one_out").none(), nb::kw_only(), nb::arg("max_bytes"),
          nb::arg("max_words"), nb::arg("min_prefix"), nb::arg("all_prefixes"), nb::arg("threads"),
          "As `Decoder.find_gold`; the lattices have no states.")
      .def(
          "violations",
          [](const BoundChartDecoder& decoder, const BoundSource& text, Vector<int32_t> references,
             Vector<int64_t> reference_offsets, const BoundGold& lattices,
             Vector<int64_t> chosen, const BoundWeights& given, const ChartOptions& search,
             const TargetLimits& limits, const BoundLeaveOneOut* leave_one_out,
             const std::string& selection, bool future_in_margin, bool all_prefixes, bool total,
             int threads) {
            if (future_in_margin) throw Error("the search has no future cost");
            const WeightView weights = to_weights(decoder, given);
            SourceText source = to_source(decoder, text);
            check_references(source, references, reference_offsets);
            lattices.check(source, view(reference_offsets), view(chosen));
            const ChartViolationOptions options{search, limits, to_selection(selection),
                                                all_prefixes,
                                                leave_out(source, decoder, leave_one_out)};
            return violation_arrays(decoder.model.dense().size(), total, threads, [&] {
              return find_chart_violations(decoder.model, decoder.index, weights, options, source,
                                           {view(references), view(reference_offsets)},
                                           lattices.view(), view(chosen), threads);
            });
          },
          nb::arg("source"), nb::arg("references"), nb::arg("reference_offsets"),
          nb::arg("lattices"), nb::arg("chosen"), nb::arg("weights"), nb::arg("search"),
          nb::arg("limits"), nb::arg("leave_one_out").none(), nb::kw_only(), nb::arg("selection"),
          nb::arg("future_in_margin"), nb::arg("all_prefixes"), nb::arg("total"), nb::arg("threads"),
          "As `Decoder.violations`; bins are spans in the order of the search.")
      .def(
          "features",
          [](const BoundChartDecoder& decoder, const BoundSource& text,
             const Derivation& derivation) {
            const SentenceView sentence = to_sentence(decoder, text).sentence(0);
            check_chart_steps(decoder.model, sentence, derivation.steps);
            return extract_chart_features(decoder.model, derivation.steps);
          },
          nb::arg("source"), nb::arg("derivation"),
          "The dense features of a derivation, recomputed from it alone.")
      .def(
          "step_features",
          [](const BoundChartDecoder& decoder, const BoundSource& text,
             const Derivation& derivation) {
            const SentenceView sentence = to_sentence(decoder, text).sentence(0);
            check_chart_steps(decoder.model, sentence, derivation.steps);
            return chart_step_features(decoder.model, derivation.steps);
          },
          nb::arg("source"), nb::arg("derivation"), "What each step adds to them.")
      .def(
          "sparse_features",
          [](const BoundChartDecoder& decoder, const BoundSource& text,
             const std::vector<std::vector<Derivation>>& lists, bool ends, int threads) {
            if (!ends) throw Error("a derivation of rules is of a whole sentence");
            const SourceText source = to_source(decoder, text);
            if (lists.size() != source.size()) throw Error("one list per sentence is expected");
            return sparse_rows(decoder, source, threads, [&](size_t at) -> const auto& {
              return lists[at];
            });
          },
          nb::arg("source"), nb::arg("derivations"), nb::kw_only(), nb::arg("ends"),
          nb::arg("threads"), "As `Decoder.sparse_features`; `ends` is true.")
      .def(
          "sparse_features_of",
          [](const BoundChartDecoder& decoder, const BoundSource& text, const DecodedBatch& batch,
             int threads) {
            const SourceText source = to_source(decoder, text);
            if (batch.decoded.size() != source.size()) {
              throw Error("what was decoded from this source is expected");
            }
            return sparse_rows(decoder, source, threads, [&](size_t at) -> const auto& {
              return batch.decoded[at].derivations;
            });
          },
          nb::arg("source"), nb::arg("batch"), nb::kw_only(), nb::arg("threads"),
          "The same of everything that was decoded from a source.");
}

}  // namespace calque::bind
