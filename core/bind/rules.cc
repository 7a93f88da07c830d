#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "bind/arrays.h"
#include "bind/blocks.h"
#include "bind/runs.h"
#include "blocks/extract.h"
#include "blocks/rule_sides.h"
#include "blocks/rules.h"
#include "checks.h"
#include "error.h"

namespace calque::bind {
namespace {

using BoundSides = std::pair<OutVector<int32_t>, OutVector<int64_t>>;
using SideArrays = std::pair<Vector<int32_t>, Vector<int64_t>>;

// A set of phrases as symbols and offsets, sorted.
std::pair<std::vector<int32_t>, std::vector<int64_t>> sorted_arrays(const PhraseSet& phrases) {
  std::vector<int32_t> symbols;
  std::vector<int64_t> offsets{0};
  symbols.reserve(phrases.words.size());
  offsets.reserve(phrases.offsets.size());
  for (const int64_t i : phrases.sorted()) {
    const auto phrase = phrases[i];
    symbols.insert(symbols.end(), phrase.begin(), phrase.end());
    offsets.push_back(static_cast<int64_t>(symbols.size()));
  }
  return {std::move(symbols), std::move(offsets)};
}

std::tuple<BoundSides, BoundSides, int64_t> collect(const BoundCorpus& corpus,
                                                    const RuleLimits& limits, int64_t first,
                                                    int64_t last, int64_t max_sides) {
  std::pair<std::vector<int32_t>, std::vector<int64_t>> sources, targets;
  int64_t next = 0;
  {
    nb::gil_scoped_release release;
    CollectedSides sides = collect_sides(corpus.corpus, limits, first, last, max_sides);
    next = sides.next_sentence;
    sources = sorted_arrays(sides.sources);
    sides.sources = PhraseSet();
    targets = sorted_arrays(sides.targets);
  }
  return {{to_numpy(std::move(sources.first)), to_numpy(std::move(sources.second))},
          {to_numpy(std::move(targets.first)), to_numpy(std::move(targets.second))},
          next};
}

std::vector<SideRun> to_runs(const std::vector<SideArrays>& arrays) {
  std::vector<SideRun> runs;
  for (const auto& [symbols, offsets] : arrays) {
    check_offsets(view(offsets), symbols.size(), "sides of rules");
    runs.push_back({view(symbols), view(offsets)});
  }
  return runs;
}

PhraseIndex to_index(const SideArrays& sides, const Vector<int32_t>& slots) {
  check_offsets(view(sides.second), sides.first.size(), "sides of rules");
  if (static_cast<int64_t>(slots.size()) !=
      2 * n_slots(static_cast<int64_t>(sides.second.size()) - 1)) {
    throw Error("the hash index has another size");
  }
  return {view(sides.first), view(sides.second), view(slots)};
}

std::pair<RunMatrix, int64_t> extract_rules_run(const BoundCorpus& corpus, const RuleLimits& limits,
                                                const SideArrays& sources,
                                                Vector<int32_t> source_slots,
                                                const SideArrays& targets,
                                                Vector<int32_t> target_slots, int64_t first,
                                                int64_t last, int64_t max_records,
                                                InOutVector<uint32_t> target_counts) {
  check_size(target_counts.size(), targets.second.size() - 1, "counts of target sides");
  Extracted out;
  {
    nb::gil_scoped_release release;
    out = extract_rules(corpus.corpus, to_index(sources, source_slots),
                        to_index(targets, target_slots), limits, first, last, max_records,
                        view(target_counts));
  }
  return {to_matrix(std::move(out.run)), out.next_sentence};
}

}  // namespace

void register_rules(nb::module_& m) {
  nb::class_<RuleLimits>(m, "RuleLimits", "Which phrase pairs with gaps are rules.")
      .def(
          "__init__",
          [](RuleLimits* self, int max_words, int max_gaps, int max_span, int max_symbols,
             int max_target_symbols, int min_gap, bool adjacent_gaps, bool gap_needs_words,
             bool tight) {
            if (std::max({max_words, max_symbols, max_target_symbols}) > kMaxWords) {
              throw Error("a side of a rule has at most eight symbols");
            }
            if (max_words < 1 || max_gaps < 0 || max_gaps > kMaxGaps || min_gap < 1) {
              throw Error("rules have words, and at most two gaps of at least one word");
            }
            new (self) RuleLimits{max_words, max_gaps, max_span, max_symbols, max_target_symbols,
                                  min_gap, adjacent_gaps, gap_needs_words, tight};
          },
          nb::kw_only(), nb::arg("max_words"), nb::arg("max_gaps"), nb::arg("max_span"),
          nb::arg("max_symbols"), nb::arg("max_target_symbols"), nb::arg("min_gap"),
          nb::arg("adjacent_gaps"), nb::arg("gap_needs_words"), nb::arg("tight"));
  m.def("collect_sides", &collect, nb::arg("corpus"), nb::arg("limits"), nb::arg("first"),
        nb::arg("last"), nb::arg("max_sides"),
        "The distinct source and target sides of the rules of sentence pairs first..last, sorted,"
        " as symbols and offsets, and the pair to go on with.");
  m.def(
      "merged_size",
      [](const std::vector<SideArrays>& runs) {
        nb::gil_scoped_release release;
        const SidesSize size = merged_size(to_runs(runs));
        return std::pair(size.n_sides, size.n_symbols);
      },
      nb::arg("runs"), "How many sides and symbols several runs of sides have together.");
  m.def(
      "merge_sides",
      [](const std::vector<SideArrays>& runs, InOutVector<int32_t> symbols,
         InOutVector<int64_t> offsets) {
        nb::gil_scoped_release release;
        merge_sides(to_runs(runs), view(symbols), view(offsets));
      },
      nb::arg("runs"), nb::arg("symbols"), nb::arg("offsets"),
      "Fills the arrays with the sides of several runs, in order, each once.");
  m.def("extract_rules_run", &extract_rules_run, nb::arg("corpus"), nb::arg("limits"),
        nb::arg("sources"), nb::arg("source_slots"), nb::arg("targets"), nb::arg("target_slots"),
        nb::arg("first"), nb::arg("last"), nb::arg("max_records"), nb::arg("target_counts"),
        "The counted rules of sentence pairs first..last, and the pair to go on with.");
}

}  // namespace calque::bind
