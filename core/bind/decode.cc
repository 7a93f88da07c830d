#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "bind/decoder.h"
#include "bind/derivations.h"
#include "bind/register.h"
#include "decode/phrase/bag.h"
#include "decode/phrase/extract.h"
#include "decode/phrase/forced.h"

namespace calque::bind {
namespace {

Reordering to_reordering(const std::string& name) {
  if (name == "mon") return Reordering::kMonotone;
  if (name == "swap") return Reordering::kSwap;
  if (name == "phrase") return Reordering::kPhrase;
  throw Error("reordering is mon, swap or phrase");
}

DistortionRule to_distortion_rule(const std::string& name) {
  if (name == "window") return DistortionRule::kWindow;
  if (name == "jump") return DistortionRule::kJump;
  throw Error("the distortion rule is window or jump");
}

// What lies before the first block.
Start to_start(const std::string& first_block) {
  if (first_block == "right") return Start::kBoundary;
  if (first_block == "neutral") return Start::kNothing;
  throw Error("the first block is right or neutral");
}

bool is_normalised(const std::string& by) {
  if (by != "none" && by != "alternatives") throw Error("the normaliser is none or alternatives");
  return by == "alternatives";
}

// What the threshold compares.
bool is_score(const std::string& name) {
  if (name != "score" && name != "estimate") throw Error("a threshold is on score or estimate");
  return name == "score";
}

template <typename Derivations>
auto sparse_rows(const BoundDecoder& decoder, const SourceText& source, bool ends, int threads,
                 Derivations derivations) {
  SparseRows rows;
  {
    nb::gil_scoped_release release;
    rows = extract_sparse_rows(
        source, threads, derivations,
        [&](const SentenceView& sentence, std::span<const Step> steps) {
          check_steps(decoder.model, sentence, steps);
          return extract_sparse(decoder.model, sentence, steps, ends);
        });
  }
  return to_arrays(std::move(rows));
}

}  // namespace

void register_decode(nb::module_& m) {
  register_feature_set(m);
  register_derivations(m);
  register_leave_one_out(m);

  nb::class_<SearchOptions>(m, "SearchOptions", "How far the search goes.")
      .def(
          "__init__",
          [](SearchOptions* self, const std::string& reordering, int distortion_limit,
             const std::string& distortion_rule, bool strict_single_gap, int least_left_count,
             const std::string& first_block, int stack_size, int pop_limit, float threshold,
             const std::string& threshold_on, bool future_cost, double time_limit_s,
             const std::string& normaliser) {
            if (least_left_count > 0 && to_reordering(reordering) == Reordering::kPhrase) {
              throw Error("least_left_count goes with reordering swap or mon");
            }
            new (self) SearchOptions{{to_reordering(reordering), distortion_limit,
                                      to_distortion_rule(distortion_rule), strict_single_gap,
                                      least_left_count, to_start(first_block)},
                                     stack_size, pop_limit, threshold, is_score(threshold_on),
                                     future_cost, 0, time_limit_s, is_normalised(normaliser)};
          },
          nb::kw_only(), nb::arg("reordering"), nb::arg("distortion_limit"),
          nb::arg("distortion_rule"), nb::arg("strict_single_gap"),
          nb::arg("least_left_count"), nb::arg("first_block"), nb::arg("stack_size"),
          nb::arg("pop_limit"),
          nb::arg("threshold"), nb::arg("threshold_on"),
          nb::arg("future_cost"), nb::arg("time_limit_s"), nb::arg("normaliser"));

  nb::class_<OptionLimits>(m, "OptionLimits", "How many options are kept; 0: all.")
      .def(
          "__init__",
          [](OptionLimits* self, int per_span, int in_sentence, int max_targets, bool by_count) {
            new (self) OptionLimits{per_span, in_sentence, max_targets, by_count};
          },
          nb::kw_only(), nb::arg("per_span"), nb::arg("in_sentence"), nb::arg("max_targets"),
          nb::arg("by_count"));

  nb::class_<BoundSource>(m, "Source", "Source sentences as the decoder takes them.")
      .def(nb::init<Vector<int32_t>, Vector<int64_t>, Vector<int32_t>, Matrix<uint64_t>>(),
           nb::arg("ids"), nb::arg("offsets"), nb::arg("copies"), nb::arg("levels"),
           "`copies` holds, for every source word, the target id of its text, or -1 - i where word "
           "i of a sentence has none; `levels` what templates see of it.");

  nb::class_<BoundDecoder> decoder(m, "Decoder", "A loaded model that translates.");
  decoder
      .def(nb::init<nb::object, nb::object, Vector<int32_t>, nb::object>(), nb::arg("blocks"),
           nb::arg("lm"), nb::arg("lm_words"), nb::arg("features"),
           "`lm_words` holds the language-model id of each target id; empty: the same ids.")
      .def(
          "decode",
          [](const BoundDecoder& decoder, const BoundSource& text, const BoundWeights& given,
             const SearchOptions& search, Vector<int64_t> constraint_offsets,
             Vector<int32_t> constraint_spans, Vector<int64_t> constraint_target_offsets,
             Vector<int32_t> constraint_targets, const BoundLeaveOneOut* leave_one_out,
             const OptionLimits& limits, int n_best, bool distinct, int threads) {
            const WeightView weights = to_weights(decoder, given);
            check_events(decoder, search, limits);
            SourceText source = to_source(decoder, text);
            const LeaveOneOut* without = leave_out(source, decoder, leave_one_out);
            const Constraints constraints =
                to_constraints(decoder, source, constraint_offsets, constraint_spans,
                               constraint_target_offsets, constraint_targets);
            nb::gil_scoped_release release;
            return decode(decoder.model, weights,
                          {search, limits, n_best, distinct, without},
                          source, constraints, threads);
          },
          nb::arg("source"), nb::arg("weights"), nb::arg("search"), nb::arg("constraint_offsets"),
          nb::arg("constraint_spans"), nb::arg("constraint_target_offsets"),
          nb::arg("constraint_targets"), nb::arg("leave_one_out").none(), nb::kw_only(),
          nb::arg("limits"), nb::arg("n_best"), nb::arg("distinct"), nb::arg("threads"),
          "The best derivations of every sentence. Constraints: how many come before each "
          "sentence, begin and end of each, where its target words begin, and these: ids, or "
          "numbers below 0 for other texts.")
      .def(
          "decode_batch",
          [](const BoundDecoder& decoder, const BoundSource& text, const BoundWeights& given,
             const SearchOptions& search, const BoundLeaveOneOut* leave_one_out,
             const OptionLimits& limits, int n_best, bool distinct, int threads) {
            const WeightView weights = to_weights(decoder, given);
            check_events(decoder, search, limits);
            SourceText source = to_source(decoder, text);
            const LeaveOneOut* without = leave_out(source, decoder, leave_one_out);
            nb::gil_scoped_release release;
            DecodedBatch batch;
            batch.decoded = decode(decoder.model, weights,
                                   {search, limits, n_best, distinct, without},
                                   source, {}, threads);
            batch.lists = flatten(batch.decoded);
            return batch;
          },
          nb::arg("source"), nb::arg("weights"), nb::arg("search"),
          nb::arg("leave_one_out").none(), nb::kw_only(), nb::arg("limits"), nb::arg("n_best"),
          nb::arg("distinct"), nb::arg("threads"), "The same without constraints, as arrays.")
      .def(
          "graph",
          [](const BoundDecoder& decoder, const BoundSource& text, const BoundWeights& given,
             const SearchOptions& search, const OptionLimits& limits) {
            const WeightView weights = to_weights(decoder, given);
            check_events(decoder, search, limits);
            const SourceText source = to_sentence(decoder, text);
            nb::gil_scoped_release release;
            return decode_graph(decoder.model, weights,
                                {search, limits, 1, false, nullptr}, source, 0);
          },
          nb::arg("source"), nb::arg("weights"), nb::arg("search"), nb::kw_only(),
          nb::arg("limits"), "The translation graph of one sentence.")
      .def(
          "oracle",
          [](const BoundDecoder& decoder, const BoundSource& text,
             const BoundReferences& references, const SearchOptions& search, const BoundLeaveOneOut* leave_one_out,
             bool brevity_penalty, int max_targets, int n_best, bool distinct, int threads) {
            check_events(decoder, search);
            SourceText source = to_source(decoder, text);
            const LeaveOneOut* without = leave_out(source, decoder, leave_one_out);
            const ReferenceTexts texts = to_references(source, references);
            nb::gil_scoped_release release;
            DecodedBatch batch;
            batch.decoded = decode_oracle(decoder.model,
                                          {search, {0, 0, max_targets, false}, n_best, distinct, without},
                                          brevity_penalty, source, texts, threads);
            batch.lists = flatten(batch.decoded);
            return batch;
          },
          nb::arg("source"), nb::arg("references"), nb::arg("search"),
          nb::arg("leave_one_out").none(), nb::kw_only(),
          nb::arg("brevity_penalty"), nb::arg("max_targets"), nb::arg("n_best"),
          nb::arg("distinct"), nb::arg("threads"),
          "The derivations of highest sentence BLEU; their score is the BLEU. `references` are "
          "texts, each as ids and offsets.")
      .def(
          "force",
          [](const BoundDecoder& decoder, const BoundSource& text, Vector<int32_t> references,
             Vector<int64_t> reference_offsets, const BoundWeights& given,
             const SearchOptions& search, const BoundLeaveOneOut* leave_one_out,
             int64_t max_bytes, int max_words, int min_prefix, bool derive_prefix, int threads) {
            const WeightView weights = to_weights(decoder, given);
            check_events(decoder, search);
            SourceText source = to_source(decoder, text);
            check_references(source, references, reference_offsets);
            const ForcedOptions options{search.reordering, {max_bytes, max_words},
                                        {min_prefix, derive_prefix},
                                        leave_out(source, decoder, leave_one_out)};
            nb::gil_scoped_release release;
            return force(decoder.model, weights, options, source, view(references),
                         view(reference_offsets), threads);
          },
          nb::arg("source"), nb::arg("references"), nb::arg("reference_offsets"),
          nb::arg("weights"), nb::arg("search"), nb::arg("leave_one_out").none(), nb::kw_only(),
          nb::arg("max_bytes"),
          nb::arg("max_words"), nb::arg("min_prefix"), nb::arg("derive_prefix"),
          nb::arg("threads"),
          "Which sentence pairs can be derived, in how many ways, and the best way.")
      .def(
          "derive",
          [](const BoundDecoder& decoder, const BoundSource& text,
             const std::vector<std::tuple<int32_t, int32_t, std::vector<int32_t>>>& blocks,
             const BoundWeights& given, const std::string& first_block) {
            const WeightView weights = to_weights(decoder, given);
            std::vector<SpanTarget> wanted;
            for (const auto& [begin, end, target] : blocks) wanted.push_back({begin, end, target});
            return derive(decoder.model, weights, to_sentence(decoder, text).sentence(0), wanted,
                          to_start(first_block));
          },
          nb::arg("source"), nb::arg("blocks"), nb::arg("weights"), nb::kw_only(),
          nb::arg("first_block"),
          "The derivation of one sentence that these blocks (begin, end, target words) make.")
      .def(
          "features",
          [](const BoundDecoder& decoder, const BoundSource& text, const Derivation& derivation,
             size_t n_steps, bool ends) {
            const SentenceView sentence = to_sentence(decoder, text).sentence(0);
            check_steps(decoder.model, sentence, derivation.steps);
            const auto steps = std::span(derivation.steps);
            return extract_features(decoder.model, sentence,
                                    steps.first(std::min(n_steps, steps.size())), ends);
          },
          nb::arg("source"), nb::arg("derivation"), nb::arg("n_steps"), nb::arg("ends"),
          "The dense features of the first steps of a derivation, recomputed from it alone.")
      .def(
          "sparse_features",
          [](const BoundDecoder& decoder, const BoundSource& text,
             const std::vector<std::vector<Derivation>>& lists, bool ends, int threads) {
            const SourceText source = to_source(decoder, text);
            if (lists.size() != source.size()) throw Error("one list per sentence is expected");
            return sparse_rows(decoder, source, ends, threads, [&](size_t at) -> const auto& {
              return lists[at];
            });
          },
          nb::arg("source"), nb::arg("derivations"), nb::kw_only(), nb::arg("ends"),
          nb::arg("threads"),
          "The sparse features of lists of derivations, a list per sentence, one derivation after "
          "the other: where each begins, ascending keys, counts.")
      .def(
          "sparse_features_of",
          [](const BoundDecoder& decoder, const BoundSource& text, const DecodedBatch& batch,
             int threads) {
            const SourceText source = to_source(decoder, text);
            if (batch.decoded.size() != source.size()) {
              throw Error("what was decoded from this source is expected");
            }
            return sparse_rows(decoder, source, true, threads, [&](size_t at) -> const auto& {
              return batch.decoded[at].derivations;
            });
          },
          nb::arg("source"), nb::arg("batch"), nb::kw_only(), nb::arg("threads"),
          "The same of everything that was decoded from a source.")
      .def(
          "bags",
          [](const BoundDecoder& decoder, const BoundSource& text,
             const BoundLeaveOneOut* leave_one_out, uint64_t seed, uint64_t first, int threads) {
            SourceText source = to_source(decoder, text);
            const LeaveOneOut* without = leave_out(source, decoder, leave_one_out);
            Bags bags;
            {
              nb::gil_scoped_release release;
              bags = draw_bags(decoder.model, source, seed, first, without, threads);
            }
            return std::tuple_cat(to_arrays(std::move(bags.features)),
                                  std::tuple(to_numpy(std::move(bags.word_offsets)),
                                             to_numpy(std::move(bags.words))));
          },
          nb::arg("source"), nb::arg("leave_one_out").none(), nb::kw_only(), nb::arg("seed"),
          nb::arg("first"), nb::arg("threads"),
          "Of every sentence a bag of blocks, one drawn for each span: sparse features as above, "
          "where the words of each bag begin, and these. `first` is the number of the first "
          "sentence in its text.");
  register_gold(decoder, m);
  register_chart(m);
}

}  // namespace calque::bind
