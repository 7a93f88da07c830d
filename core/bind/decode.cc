#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "bind/arrays.h"
#include "bind/blocks.h"
#include "bind/language_model.h"
#include "bind/register.h"
#include "decode/decoder.h"
#include "decode/forced.h"
#include "parallel.h"
#include "error.h"

namespace calque::bind {
namespace {

// A loaded model; keeps the arrays alive that the view points into.
struct BoundDecoder {
  BoundDecoder(nb::object blocks_owner, nb::object lm_owner, Vector<int32_t> lm_words)
      : blocks(blocks_owner), lm(lm_owner), words(lm_words),
        model{nb::cast<const BoundBlockTable&>(blocks_owner).table,
              nb::cast<const BoundLanguageModel&>(lm_owner).view(), view(words)} {
    const auto outside = [&](int32_t word) {
      return word < 0 || model.lm_word(word) >= model.lm.n_words();
    };
    if (!model.lm_words.empty() &&
        std::ranges::any_of(model.lm_words, [&](int32_t id) { return id >= model.lm.n_words(); })) {
      throw Error("a target word has a language-model id outside the language model");
    }
    if (std::ranges::any_of(model.blocks.target_words, outside)) {
      throw Error("a block has a target word outside the vocabulary of the language model");
    }
  }
  nb::object blocks, lm;
  Vector<int32_t> words;
  ModelView model;
};

DenseVector to_dense(const Vector<double>& weights) {
  if (weights.size() != kNumDense) throw Error("one weight per dense feature is expected");
  DenseVector dense;
  std::copy_n(weights.data(), kNumDense, dense.begin());
  return dense;
}

Reordering to_reordering(const std::string& name) {
  if (name == "mon") return Reordering::kMonotone;
  if (name == "swap") return Reordering::kSwap;
  if (name == "phrase") return Reordering::kPhrase;
  throw Error("reordering is mon, swap or phrase");
}

SourceText to_source(const BoundDecoder& decoder, const Vector<int32_t>& ids,
                     const Vector<int64_t>& offsets, const Vector<int32_t>& copies) {
  if (copies.size() != ids.size()) throw Error("one copy per source word is expected");
  const auto outside = [&](int32_t id) {
    return id >= 0 && decoder.model.lm_word(id) >= decoder.model.lm.n_words();
  };
  if (std::ranges::any_of(view(copies), outside)) throw Error("a copy is no target word");
  return {view(ids), view(offsets), view(copies)};
}

void check_references(const SourceText& source, const Vector<int32_t>& references,
                      const Vector<int64_t>& offsets) {
  if (offsets.size() != source.offsets.size() ||
      static_cast<size_t>(offsets.data()[offsets.size() - 1]) != references.size()) {
    throw Error("one reference per source sentence is expected");
  }
}

}  // namespace

void register_decode(nb::module_& m) {
  m.def(
      "dense_features",
      [] { return std::vector<std::string>(kDenseNames.begin(), kDenseNames.end()); },
      "The names of the dense features, in the order of every vector of them.");

  nb::class_<Step>(m, "Step", "One block of a derivation.")
      .def_ro("begin", &Step::begin)
      .def_ro("end", &Step::end)
      .def_ro("block", &Step::block, "Row of the block table; -1: the source word is copied.")
      .def_ro("orientation", &Step::orientation, "0 monotone, 1 swap, 2 discontinuous.")
      .def_ro("target", &Step::target, "Target word ids; -1 - i is a copy of source word i.");
  nb::class_<Derivation>(m, "Derivation", "The blocks of a translation in target order.")
      .def_ro("score", &Derivation::score)
      .def_ro("features", &Derivation::features, "Values in the order of dense_features().")
      .def_ro("steps", &Derivation::steps);
  nb::class_<Decoded>(m, "Decoded", "What the search found for one sentence.")
      .def_ro("derivations", &Decoded::derivations, "Best first.")
      .def_ro("n_generated", &Decoded::n_generated, "Steps tried by the search.");

  nb::class_<Forced>(m, "Forced", "What forced decoding found for one sentence pair.")
      .def_ro("reachable", &Forced::reachable, "Some derivation gives the whole reference.")
      .def_ro("truncated", &Forced::truncated, "The pair was too large to search.")
      .def_ro("n_states", &Forced::n_states, "States of the gold lattice.")
      .def_ro("n_derivations", &Forced::n_derivations, "Derivations that give the reference.")
      .def_ro("prefix_source", &Forced::prefix_source, "Source words of the longest prefix pair.")
      .def_ro("prefix_target", &Forced::prefix_target, "Its target words.")
      .def_ro("best", &Forced::best, "The best derivation of the pair or of the prefix pair.");

  nb::class_<SearchOptions>(m, "SearchOptions", "How far the search goes.")
      .def(
          "__init__",
          [](SearchOptions* self, const std::string& reordering, int distortion_limit,
             bool strict_single_gap, int stack_size, int pop_limit, float threshold,
             double time_limit_s) {
            new (self) SearchOptions{{to_reordering(reordering), distortion_limit, strict_single_gap},
                                     stack_size, pop_limit, threshold, 0, time_limit_s};
          },
          nb::kw_only(), nb::arg("reordering"), nb::arg("distortion_limit"),
          nb::arg("strict_single_gap"), nb::arg("stack_size"), nb::arg("pop_limit"),
          nb::arg("threshold"), nb::arg("time_limit_s"));

  nb::class_<BoundDecoder>(m, "Decoder", "A loaded model that translates.")
      .def(nb::init<nb::object, nb::object, Vector<int32_t>>(), nb::arg("blocks"), nb::arg("lm"),
           nb::arg("lm_words"),
           "`lm_words` holds the language-model id of each target id; empty: the same ids.")
      .def(
          "decode",
          [](const BoundDecoder& decoder, Vector<int32_t> ids, Vector<int64_t> offsets,
             Vector<int32_t> copies, Vector<double> weights, const SearchOptions& search,
             int options_per_span, int n_best, bool distinct, int threads) {
            const DenseVector dense = to_dense(weights);
            const SourceText source = to_source(decoder, ids, offsets, copies);
            nb::gil_scoped_release release;
            return decode(decoder.model, dense, {search, options_per_span, n_best, distinct},
                          source, threads);
          },
          nb::arg("ids"), nb::arg("offsets"), nb::arg("copies"), nb::arg("weights"),
          nb::arg("search"), nb::kw_only(), nb::arg("options_per_span"), nb::arg("n_best"),
          nb::arg("distinct"), nb::arg("threads"),
          "The best derivations of every sentence. `copies` holds, for every source word, the "
          "target id of its text, or -1 - i where word i of a sentence has none.")
      .def(
          "oracle",
          [](const BoundDecoder& decoder, Vector<int32_t> ids, Vector<int64_t> offsets,
             Vector<int32_t> copies, Vector<int32_t> references, Vector<int64_t> reference_offsets,
             const SearchOptions& search, int n_best, bool distinct, int threads) {
            const SourceText source = to_source(decoder, ids, offsets, copies);
            check_references(source, references, reference_offsets);
            nb::gil_scoped_release release;
            return decode_oracle(decoder.model, {search, 0, n_best, distinct}, source,
                                 view(references), view(reference_offsets), threads);
          },
          nb::arg("ids"), nb::arg("offsets"), nb::arg("copies"), nb::arg("references"),
          nb::arg("reference_offsets"), nb::arg("search"), nb::kw_only(), nb::arg("n_best"),
          nb::arg("distinct"), nb::arg("threads"),
          "The derivations of highest sentence BLEU; their score is the BLEU.")
      .def(
          "force",
          [](const BoundDecoder& decoder, Vector<int32_t> ids, Vector<int64_t> offsets,
             Vector<int32_t> copies, Vector<int32_t> references, Vector<int64_t> reference_offsets,
             Vector<double> weights, const SearchOptions& search, int64_t max_states,
             int max_words, int min_prefix, bool derive_prefix, int threads) {
            const DenseVector dense = to_dense(weights);
            const SourceText source = to_source(decoder, ids, offsets, copies);
            check_references(source, references, reference_offsets);
            const SourceText wanted{view(references), view(reference_offsets), view(references)};
            const ForcedOptions options{search.reordering, max_states, max_words, min_prefix,
                                        derive_prefix};
            std::vector<Forced> results(source.size());
            nb::gil_scoped_release release;
            for_chunks(source.size(), 1, threads, [&] {
              return [&](size_t at, size_t) {
                results[at] = force(decoder.model, dense, options, source.sentence(at),
                                    source.sentence_copies(at), wanted.sentence(at));
              };
            });
            return results;
          },
          nb::arg("ids"), nb::arg("offsets"), nb::arg("copies"), nb::arg("references"),
          nb::arg("reference_offsets"), nb::arg("weights"), nb::arg("search"), nb::kw_only(),
          nb::arg("max_states"), nb::arg("max_words"), nb::arg("min_prefix"),
          nb::arg("derive_prefix"), nb::arg("threads"),
          "Which sentence pairs can be derived, in how many ways, and the best way.")
      .def(
          "derive",
          [](const BoundDecoder& decoder, Vector<int32_t> ids, Vector<int64_t> offsets,
             Vector<int32_t> copies,
             const std::vector<std::tuple<int32_t, int32_t, std::vector<int32_t>>>& blocks,
             Vector<double> weights) {
            const SourceText source = to_source(decoder, ids, offsets, copies);
            if (source.size() != 1) throw Error("one sentence is expected");
            std::vector<SpanTarget> wanted;
            for (const auto& [begin, end, target] : blocks) wanted.push_back({begin, end, target});
            return derive(decoder.model, to_dense(weights), source.sentence(0),
                          source.sentence_copies(0), wanted);
          },
          nb::arg("ids"), nb::arg("offsets"), nb::arg("copies"), nb::arg("blocks"),
          nb::arg("weights"),
          "The derivation of one sentence that these blocks (begin, end, target words) make.")
      .def(
          "features",
          [](const BoundDecoder& decoder, const Derivation& derivation) {
            return extract_features(decoder.model, derivation.steps);
          },
          nb::arg("derivation"), "The features, recomputed from the derivation alone.");
}

}  // namespace calque::bind
