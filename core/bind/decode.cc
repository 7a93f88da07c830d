#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/arrays.h"
#include "bind/blocks.h"
#include "bind/language_model.h"
#include "bind/register.h"
#include "decode/decoder.h"
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

  nb::class_<BoundDecoder>(m, "Decoder", "A loaded model that translates.")
      .def(nb::init<nb::object, nb::object, Vector<int32_t>>(), nb::arg("blocks"), nb::arg("lm"),
           nb::arg("lm_words"),
           "`lm_words` holds the language-model id of each target id; empty: the same ids.")
      .def(
          "decode",
          [](const BoundDecoder& decoder, Vector<int32_t> ids, Vector<int64_t> offsets,
             Vector<double> weights, int distortion_limit, int stack_size, int pop_limit,
             float threshold, int options_per_span, int n_best, bool distinct, int threads) {
            const DenseVector dense = to_dense(weights);
            const DecodeOptions options{{distortion_limit, stack_size, pop_limit, threshold},
                                        options_per_span, n_best, distinct};
            nb::gil_scoped_release release;
            return decode(decoder.model, dense, options, view(ids), view(offsets), threads);
          },
          nb::arg("ids"), nb::arg("offsets"), nb::arg("weights"), nb::kw_only(),
          nb::arg("distortion_limit"), nb::arg("stack_size"), nb::arg("pop_limit"),
          nb::arg("threshold"), nb::arg("options_per_span"), nb::arg("n_best"),
          nb::arg("distinct"), nb::arg("threads"), "The best derivations of every sentence.")
      .def(
          "features",
          [](const BoundDecoder& decoder, const Derivation& derivation) {
            return extract_features(decoder.model, derivation.steps);
          },
          nb::arg("derivation"), "The features, recomputed from the derivation alone.");
}

}  // namespace calque::bind
