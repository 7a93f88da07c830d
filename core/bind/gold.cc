#include "bind/gold.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <bit>
#include <tuple>

#include "bind/decoder.h"
#include "bind/violations.h"
#include "decode/phrase/gold_search.h"

namespace calque::bind {
BoundGold::BoundGold(Vector<int64_t> pair_of_each, Vector<int32_t> source_words,
                     Vector<int32_t> target_words, Vector<uint8_t> whole,
                     Vector<int64_t> state_offsets, Vector<uint64_t> later_words,
                     Vector<uint16_t> first_words, Vector<uint16_t> last_ends,
                     Vector<uint16_t> given_words)
    : pairs(pair_of_each), n_source(source_words), n_target(target_words), is_whole(whole),
      offsets(state_offsets), later(later_words), first(first_words), last_end(last_ends),
      n_words(given_words) {
  check_size(n_source.size(), pairs.size(), "source words of lattices");
  check_size(n_target.size(), pairs.size(), "target words of lattices");
  check_size(is_whole.size(), pairs.size(), "lattices of whole pairs");
  check_size(offsets.size(), pairs.size() + 1, "offsets of lattices");
  check_offsets(bind::view(offsets), later.size(), "states of lattices");
  check_size(first.size(), later.size(), "coverages of states");
  check_size(last_end.size(), later.size(), "last blocks of states");
  check_size(n_words.size(), later.size(), "target words of states");
}

GoldView BoundGold::view() const {
  return {bind::view(pairs),   bind::view(n_source), bind::view(n_target),
          bind::view(is_whole), bind::view(offsets),  bind::view(later),
          bind::view(first),    bind::view(last_end), bind::view(n_words)};
}

void BoundGold::check(const SourceText& source, std::span<const int64_t> reference_offsets) const {
  check_ids(bind::view(pairs), static_cast<int64_t>(source.size()), "pairs of lattices");
  for (size_t at = 0; at < pairs.size(); ++at) {
    const auto pair = static_cast<size_t>(pairs.data()[at]);
    const int64_t n = reference_offsets[pair + 1] - reference_offsets[pair];
    const int32_t i = n_source.data()[at], j = n_target.data()[at];
    if (i < 0 || i > source.sentence(pair).size() || j < 0 || j > n) {
      throw Error("a gold lattice is longer than its pair");
    }
    for (int64_t state = offsets.data()[at]; state < offsets.data()[at + 1]; ++state) {
      const int n_covered_later = 64 - std::countl_zero(later.data()[state]);
      const int end = first.data()[state] + (n_covered_later > 0 ? 1 + n_covered_later : 0);
      if (end > i || last_end.data()[state] > i || n_words.data()[state] > j) {
        throw Error("a state of a gold lattice lies outside its pair");
      }
    }
  }
}

void BoundGold::check(const SourceText& source, std::span<const int64_t> reference_offsets,
                      std::span<const int64_t> chosen) const {
  check(source, reference_offsets);
  check_ids(chosen, static_cast<int64_t>(pairs.size()), "chosen lattices");
}

void register_gold(nb::class_<BoundDecoder>& decoder, nb::module_& m) {
  nb::class_<BoundGold>(m, "GoldLattices", "Gold lattices of some sentence pairs.")
      .def(nb::init<Vector<int64_t>, Vector<int32_t>, Vector<int32_t>, Vector<uint8_t>,
                    Vector<int64_t>, Vector<uint64_t>, Vector<uint16_t>, Vector<uint16_t>,
                    Vector<uint16_t>>(),
           nb::arg("pairs"), nb::arg("n_source"), nb::arg("n_target"), nb::arg("is_whole"),
           nb::arg("offsets"), nb::arg("later"), nb::arg("first"), nb::arg("last_end"),
           nb::arg("n_words"))
      .def("__len__", [](const BoundGold& gold) { return gold.pairs.size(); });
  decoder
      .def(
          "find_gold",
          [](const BoundDecoder& decoder, const BoundSource& text, Vector<int32_t> references,
             Vector<int64_t> reference_offsets, const SearchOptions& search,
             const BoundLeaveOneOut* leave_one_out, int64_t max_bytes, int max_words,
             int min_prefix, bool all_prefixes, int threads) {
            check_events(decoder, search);
            SourceText source = to_source(decoder, text);
            check_references(source, references, reference_offsets);
            const GoldOptions options{search.reordering, {max_bytes, max_words}, min_prefix,
                                      all_prefixes, leave_out(source, decoder, leave_one_out)};
            GoldLattices found;
            {
              nb::gil_scoped_release release;
              found = find_gold(decoder.model, options, source,
                                {view(references), view(reference_offsets)}, threads);
            }
            return to_arrays(std::move(found));
          },
          nb::arg("source"), nb::arg("references"), nb::arg("reference_offsets"),
          nb::arg("search"), nb::arg("leave_one_out").none(), nb::kw_only(), nb::arg("max_bytes"),
          nb::arg("max_words"), nb::arg("min_prefix"), nb::arg("all_prefixes"), nb::arg("threads"),
          "The arrays of gold lattices in the order of their class, and how many pairs were too "
          "large.")
      .def(
          "gold_scores",
          [](const BoundDecoder& decoder, const BoundSource& text, Vector<int32_t> references,
             Vector<int64_t> reference_offsets, const BoundGold& lattices,
             const BoundWeights& given, const SearchOptions& search,
             const BoundLeaveOneOut* leave_one_out, int threads) {
            const WeightView weights = to_weights(decoder, given);
            check_events(decoder, search);
            SourceText source = to_source(decoder, text);
            check_references(source, references, reference_offsets);
            lattices.check(source, view(reference_offsets));
            const LeaveOneOut* without = leave_out(source, decoder, leave_one_out);
            std::vector<double> scores;
            {
              nb::gil_scoped_release release;
              scores = gold_scores(decoder.model, weights, search.reordering, without, source,
                                   {view(references), view(reference_offsets)}, lattices.view(),
                                   threads);
            }
            return to_numpy(std::move(scores));
          },
          nb::arg("source"), nb::arg("references"), nb::arg("reference_offsets"),
          nb::arg("lattices"), nb::arg("weights"), nb::arg("search"),
          nb::arg("leave_one_out").none(), nb::kw_only(), nb::arg("threads"),
          "The score of the best derivation in every bin of each lattice; minus infinity where "
          "there is none.")
      .def(
          "violations",
          [](const BoundDecoder& decoder, const BoundSource& text, Vector<int32_t> references,
             Vector<int64_t> reference_offsets, const BoundGold& lattices,
             Vector<int64_t> chosen, const BoundWeights& given, const SearchOptions& search,
             const OptionLimits& limits, const BoundLeaveOneOut* leave_one_out,
             const std::string& selection, bool future_in_margin, bool all_prefixes, bool total,
             int threads) {
            const WeightView weights = to_weights(decoder, given);
            check_events(decoder, search, limits);
            if (search.normalises) throw Error("updates are of scores that are not normalised");
            SourceText source = to_source(decoder, text);
            check_references(source, references, reference_offsets);
            lattices.check(source, view(reference_offsets), view(chosen));
            if (future_in_margin && !search.future_cost) throw Error("the search has no future cost");
            const ViolationOptions options{search, limits, to_selection(selection),
                                           future_in_margin, all_prefixes,
                                           leave_out(source, decoder, leave_one_out)};
            return violation_arrays(decoder.model.dense().size(), total, threads, [&] {
              return find_violations(decoder.model, weights, options, source,
                                     {view(references), view(reference_offsets)}, lattices.view(),
                                     view(chosen), threads);
            });
          },
          nb::arg("source"), nb::arg("references"), nb::arg("reference_offsets"),
          nb::arg("lattices"), nb::arg("chosen"), nb::arg("weights"), nb::arg("search"),
          nb::arg("limits"), nb::arg("leave_one_out").none(), nb::kw_only(), nb::arg("selection"),
          nb::arg("future_in_margin"), nb::arg("all_prefixes"), nb::arg("total"), nb::arg("threads"),
          "What is to be learned from each chosen lattice: the bin of the update, -1 for none; its "
          "margin; whether the beam's best gives the reference; then rows of differences, one "
          "dense row, a sparse offset per lattice, keys and counts. With `total`, one row: the "
          "sums.");
}

}  // namespace calque::bind
