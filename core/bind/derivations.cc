#include "bind/derivations.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <tuple>
#include <utility>

#include "bind/arrays.h"
#include "checks.h"
#include "decode/consensus.h"
#include "decode/phrase/forced.h"
#include "error.h"

namespace calque::bind {
namespace {

// A view of an array that its owner keeps.
template <auto Member>
auto array_of(nb::handle_t<DecodedBatch> self) {
  auto& values = nb::cast<DecodedBatch&>(self).lists.*Member;
  using T = typename std::remove_reference_t<decltype(values)>::value_type;
  return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, self);
}

std::vector<int32_t> covered(const TranslationGraph::Node& node) {
  std::vector<int32_t> words(static_cast<size_t>(node.coverage.first));
  std::iota(words.begin(), words.end(), 0);
  for (int32_t i = 0; i < Coverage::kWindow; ++i) {
    if (node.coverage.later >> i & 1) words.push_back(node.coverage.first + 1 + i);
  }
  return words;
}

}  // namespace

void register_derivations(nb::module_& m) {
  nb::class_<Step>(m, "Step", "One block of a derivation.")
      .def_ro("begin", &Step::begin)
      .def_ro("end", &Step::end)
      .def_ro("block", &Step::block, "Row of the block table; -1: a copied word or a required target.")
      .def_ro("required", &Step::required, "The user asked for this target.")
      .def_ro("orientation", &Step::orientation, "0 monotone, 1 swap, 2 discontinuous; -1: rules have none.")
      .def_ro("log_sum", &Step::log_sum,
              "What its score was normalised by, with decode.normaliser=alternatives; else 0.")
      .def_ro("target", &Step::target,
              "Target word ids; -1 - i is a copy of source word i, and 1 and 2 are the gaps of a "
              "rule.")
      .def_prop_ro(
          "gaps", [](const Step& step) { return std::pair(step.gaps[0], step.gaps[1]); },
          "The steps that fill the gaps of a rule, by their places; -1: no gap.");
  nb::class_<Derivation>(m, "Derivation", "The blocks of a translation in target order.")
      .def_ro("score", &Derivation::score,
              "Values times weights, minus what the steps were normalised by.")
      .def_ro("features", &Derivation::features, "Values in the order of the feature set.")
      .def_ro("steps", &Derivation::steps,
              "In target order where none has gaps; else a step comes before those in its gaps.")
      .def_prop_ro(
          "words",
          [](const Derivation& derivation) {
            std::vector<std::tuple<int32_t, int32_t, int32_t>> words;
            for (const auto& [word, step, place] : yield_of(derivation.steps)) {
              words.emplace_back(word, step, place);
            }
            return words;
          },
          "The target words, each with its step and its place in the target of that.");
  nb::class_<Decoded>(m, "Decoded", "What the search found for one sentence.")
      .def_ro("derivations", &Decoded::derivations, "Best first.")
      .def_ro("n_generated", &Decoded::n_generated, "Steps tried by the search.");
  nb::class_<DecodedBatch>(m, "DecodedBatch", "What the search found for many sentences, as arrays.")
      .def("__len__", [](const DecodedBatch& batch) { return batch.decoded.size(); })
      .def(
          "__getitem__",
          [](const DecodedBatch& batch, size_t at) -> const Decoded& {
            if (at >= batch.decoded.size()) throw nb::index_error();
            return batch.decoded[at];
          },
          nb::arg("at"), nb::rv_policy::reference_internal, "One sentence with its derivations.")
      .def(
          "derivation",
          [](const DecodedBatch& batch, size_t at, size_t rank) -> const Derivation& {
            return batch.decoded.at(at).derivations.at(rank);
          },
          nb::arg("at"), nb::arg("rank"), nb::rv_policy::reference_internal,
          "One derivation of a sentence; 0 is the best.")
      .def(
          "used_blocks",
          [](const DecodedBatch& batch, size_t at) {
            return to_numpy(used_blocks(batch.decoded.at(at)));
          },
          nb::arg("at"), "The rows of all blocks that derivations of a sentence use, rising.")
      .def_prop_ro("offsets", array_of<&DecodedLists::offsets>,
                   "Candidates of sentence s are offsets[s]:offsets[s + 1], best first.")
      .def_prop_ro("scores", array_of<&DecodedLists::scores>)
      .def_prop_ro("features", array_of<&DecodedLists::features>,
                   "Dense features of all candidates, row after row.")
      .def_prop_ro("word_offsets", array_of<&DecodedLists::word_offsets>)
      .def_prop_ro("words", array_of<&DecodedLists::words>,
                   "Target word ids of all candidates; -1 - i is a copy of source word i.");

  m.def(
      "target_words",
      [](const std::vector<const Derivation*>& derivations) {
        std::vector<int64_t> offsets{0};
        std::vector<int32_t> words;
        for (const Derivation* derivation : derivations) {
          if (derivation == nullptr) throw Error("derivations are expected");
          append_words(derivation->steps, words);
          offsets.push_back(static_cast<int64_t>(words.size()));
        }
        return std::pair(to_numpy(std::move(offsets)), to_numpy(std::move(words)));
      },
      nb::arg("derivations"),
      "Where the words of each derivation begin, and these; -1 - i is a copy of source word i.");
  m.def(
      "expected_bleu",
      [](Vector<int32_t> words, Vector<int64_t> word_offsets, Vector<int64_t> offsets,
         Vector<double> probabilities, int threads) {
        check_offsets(view(word_offsets), words.size(), "words of candidates");
        check_offsets(view(offsets), word_offsets.size() - 1, "candidates of lists");
        check_size(probabilities.size(), word_offsets.size() - 1, "probabilities");
        std::vector<double> expected;
        {
          nb::gil_scoped_release release;
          expected = expected_bleu({view(words), view(word_offsets), view(offsets)},
                                   view(probabilities), threads);
        }
        return to_numpy(std::move(expected));
      },
      nb::arg("words"), nb::arg("word_offsets"), nb::arg("offsets"), nb::arg("probabilities"),
      nb::kw_only(), nb::arg("threads"),
      "The expected BLEU+1 of every candidate where one of its list is the reference.");

  nb::class_<TranslationGraph> graph(m, "TranslationGraph", "Every derivation that a search found.");
  nb::class_<TranslationGraph::Node>(graph, "Node")
      .def_prop_ro("covered", covered, "The source words that are translated.")
      .def_ro("score", &TranslationGraph::Node::score, "Of the best path to here.")
      .def_ro("complete", &TranslationGraph::Node::complete, "A translation ends here.");
  nb::class_<TranslationGraph::Edge>(graph, "Edge")
      .def_ro("begin_node", &TranslationGraph::Edge::from)
      .def_ro("end_node", &TranslationGraph::Edge::to)
      .def_ro("step", &TranslationGraph::Edge::step)
      .def_ro("score", &TranslationGraph::Edge::score, "What the step adds.");
  graph.def_ro("nodes", &TranslationGraph::nodes, "Each after those that lead to it.")
      .def_ro("edges", &TranslationGraph::edges, "By the node they lead to, the best one first.");

  nb::class_<Forced>(m, "Forced", "What forced decoding found for one sentence pair.")
      .def_ro("reachable", &Forced::reachable, "Some derivation gives the whole reference.")
      .def_ro("truncated", &Forced::truncated, "The pair was too large to search.")
      .def_ro("n_states", &Forced::n_states, "States of the gold lattice.")
      .def_ro("n_derivations", &Forced::n_derivations, "Derivations that give the reference.")
      .def_ro("prefix_source", &Forced::prefix_source, "Source words of the longest prefix pair.")
      .def_ro("prefix_target", &Forced::prefix_target, "Its target words.")
      .def_ro("best", &Forced::best, "The best derivation of the pair or of the prefix pair.");
}

}  // namespace calque::bind
