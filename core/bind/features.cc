#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind/arrays.h"
#include "bind/blocks.h"
#include "bind/register.h"
#include "checks.h"
#include "features/events.h"
#include "features/fertility.h"
#include "features/lexical_weight.h"
#include "features/merged_orientation.h"

namespace calque::bind {
namespace {

// Previous block, block, side, sentence, source begin, target begin.
using EventArrays = std::tuple<OutVector<int32_t>, OutVector<int32_t>, OutVector<int8_t>,
                               OutVector<int32_t>, OutVector<int16_t>, OutVector<int16_t>>;

template <typename T, typename Field>
OutVector<T> column(const std::vector<Event>& events, Field field) {
  std::vector<T> out;
  out.reserve(events.size());
  for (const Event& event : events) out.push_back(static_cast<T>(field(event)));
  return to_numpy(std::move(out));
}

EventArrays collect(const BlockEvents& self, int64_t first, int64_t last, int threads) {
  std::vector<Event> events;
  {
    nb::gil_scoped_release release;
    events = self.collect(first, last, threads);
  }
  return {column<int32_t>(events, [](const Event& e) { return e.previous; }),
          column<int32_t>(events, [](const Event& e) { return e.block; }),
          column<int8_t>(events, [](const Event& e) { return e.side; }),
          column<int32_t>(events, [](const Event& e) { return e.sentence; }),
          column<int16_t>(events, [](const Event& e) { return e.source_begin; }),
          column<int16_t>(events, [](const Event& e) { return e.target_begin; })};
}

OutVector<float> weigh(const BoundBlockTable& table, Vector<int64_t> offsets,
                       Vector<int32_t> words, Vector<float> probs, double floor, int threads) {
  check_size(probs.size(), words.size(), "probabilities of the lexicon");
  std::vector<float> weights;
  {
    nb::gil_scoped_release release;
    check_offsets(view(offsets), words.size(), "words of the lexicon");
    weights = lexical_weights(table.table, {view(offsets), view(words), view(probs)}, floor,
                              threads);
  }
  return to_numpy(std::move(weights));
}

OutVector<int32_t> count_fertilities(const BoundBlockTable& table, const BoundCorpus& corpus,
                                     int max_words, int threads) {
  std::vector<int32_t> counts;
  {
    nb::gil_scoped_release release;
    counts = fertility_counts(table.table, corpus.corpus, max_words, threads);
  }
  return to_numpy(std::move(counts));
}

OutVector<int32_t> count_merged_orientations(const BoundBlockTable& table,
                                             const BoundCorpus& corpus, int max_words,
                                             int threads) {
  std::vector<int32_t> counts;
  {
    nb::gil_scoped_release release;
    counts = merged_orientation_counts(table.table, corpus.corpus, max_words, threads);
  }
  return to_numpy(std::move(counts));
}

}  // namespace

void register_features(nb::module_& m) {
  nb::class_<BlockEvents>(m, "BlockEvents", "Which blocks of a table follow one another.")
      .def(
          "__init__",
          [](BlockEvents* self, const BoundBlockTable& table, const BoundCorpus& corpus,
             int max_words, int max_placements, bool boundary_block) {
            nb::gil_scoped_release release;
            new (self) BlockEvents(table.table, corpus.corpus,
                                   {max_words, max_placements, boundary_block});
          },
          nb::arg("table"), nb::arg("corpus"), nb::arg("max_words"), nb::arg("max_placements"),
          nb::arg("boundary_block"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("collect", &collect, nb::arg("first"), nb::arg("last"), nb::arg("threads"),
           "Previous block, block, side, sentence, source and target begin of every event.")
      .def(
          "count",
          [](const BlockEvents& self, int64_t first, int64_t last, InOutMatrix<int32_t> counts,
             int threads) {
            nb::gil_scoped_release release;
            self.count(first, last, view(counts), threads);
          },
          nb::arg("first"), nb::arg("last"), nb::arg("counts"), nb::arg("threads"),
          "Adds the events of sentence pairs first..last to rows of (left, right, neutral).")
      .def(
          "frequent_pairs",
          [](const BlockEvents& self, int64_t threshold, uint64_t part, uint64_t n_parts,
             int threads) {
            std::vector<uint64_t> pairs;
            {
              nb::gil_scoped_release release;
              pairs = self.frequent_pairs(threshold, part, n_parts, threads);
            }
            return to_numpy(std::move(pairs));
          },
          nb::arg("threshold"), nb::arg("part"), nb::arg("n_parts"), nb::arg("threads"),
          "Pairs (previous << 32 | block) seen more often than `threshold`, of one share.");
  m.def("lexical_weights", &weigh, nb::arg("table"), nb::arg("offsets"), nb::arg("words"),
        nb::arg("probs"), nb::arg("floor"), nb::arg("threads"),
        "The lexical weight of every block; the lexicon has one row per target word.");
  m.def("fertility_counts", &count_fertilities, nb::arg("table"), nb::arg("corpus"),
        nb::arg("max_words"), nb::arg("threads"),
        "N(T, k) for every target phrase T and source length k = 1..max_words, flat.");
  m.def("merged_orientation_counts", &count_merged_orientations, nb::arg("table"),
        nb::arg("corpus"), nb::arg("max_words"), nb::arg("threads"),
        "How often every block was monotone, swapped and discontinuous towards merged blocks before "
        "it, and behind it, flat.");
}

}  // namespace calque::bind
