#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

#include "bind/arrays.h"
#include "bind/difference_lists.h"
#include "bind/register.h"
#include "checks.h"
#include "error.h"
#include "tune/online.h"

namespace calque::bind {
namespace {

// What candidates are worth, once gains and truths are seen to belong to the lists.
Worths worths_of(const BoundDifferences& lists, const Vector<double>& gains,
                 const Vector<int64_t>& n_truths) {
  lists.check_entries_only();
  const auto offsets = lists.offsets();
  check_size(gains.size(), lists.n_candidates(), "gains");
  check_size(n_truths.size(), lists.n_sentences(), "numbers of truths");
  for (size_t s = 0; s < lists.n_sentences(); ++s) {
    if (n_truths(s) < 0 || n_truths(s) > offsets[s + 1] - offsets[s]) {
      throw Error("more truths than candidates");
    }
  }
  return {view(gains), view(n_truths)};
}

void give_squares(OnlineUpdate& update, const std::optional<InOutVector<double>>& squares,
                  size_t n_weights) {
  if (auto* rule = std::get_if<AdaGradUpdate>(&update)) {
    if (!squares) throw Error("steps that shrink with squares: expected an array for them");
    check_size(squares->size(), n_weights, "squares");
    rule->squares = view(*squares);
  }
}

void directions(const BoundDifferences& lists, Vector<double> gains, Vector<int64_t> n_truths,
                const OnlineLoss& loss, Vector<double> weights, InOutVector<double> sum) {
  const Worths worths = worths_of(lists, gains, n_truths);
  check_size(weights.size(), lists.n_weights(), "weights");
  check_size(sum.size(), lists.n_weights(), "sum");
  nb::gil_scoped_release release;
  lists.with([&](const auto& some) {
    add_directions(some, worths, loss, view(weights), view(sum));
  });
}

auto move(OnlineUpdate update, Vector<int32_t> columns, Vector<double> values, double n_steps,
          InOutVector<double> weights, InOutVector<double> lag,
          std::optional<InOutVector<double>> squares, int threads) {
  check_size(values.size(), columns.size(), "values");
  check_ids(view(columns), static_cast<int64_t>(weights.size()), "columns");
  check_size(lag.size(), weights.size(), "lag");
  give_squares(update, squares, weights.size());
  std::vector<float> moved;
  {
    nb::gil_scoped_release release;
    moved = move_columns(update, view(columns), view(values), n_steps, view(weights), view(lag),
                         threads);
  }
  return to_numpy(std::move(moved));
}

void learn(const BoundDifferences& lists, Vector<int64_t> order, Vector<double> gains,
           Vector<int64_t> n_truths, const OnlineLoss& loss, OnlineUpdate update,
           double dense_shrink, double sparse_shrink, InOutVector<double> weights,
           InOutVector<double> times, std::optional<InOutVector<double>> lag,
           std::optional<InOutVector<double>> squares) {
  check_ids(view(order), static_cast<int64_t>(lists.n_sentences()), "order of sentences");
  const Worths worths = worths_of(lists, gains, n_truths);
  check_size(weights.size(), lists.n_weights(), "weights");
  check_size(times.size(), 2, "times");
  if (lag) check_size(lag->size(), lists.n_weights(), "lag");
  give_squares(update, squares, lists.n_weights());
  for (const double shrink : {dense_shrink, sparse_shrink}) {
    if (!(shrink > 0 && shrink <= 1)) throw Error("expected weights to shrink by 0 to 1");
  }
  const Learned learned{view(weights), lag ? view(*lag) : std::span<double>{}, view(times)};
  nb::gil_scoped_release release;
  lists.with([&](const auto& some) {
    online_pass(some, view(order), worths, loss, update, {dense_shrink, sparse_shrink}, learned);
  });
}

OutVector<int64_t> best(const BoundDifferences& lists, Vector<double> weights, int threads) {
  check_size(weights.size(), lists.n_weights(), "weights");
  std::vector<int64_t> found;
  {
    nb::gil_scoped_release release;
    found = lists.with(
        [&](const auto& some) { return best_of_differences(some, view(weights), threads); });
  }
  return to_numpy(std::move(found));
}

template <typename Value>
void bind_lists(nb::class_<BoundDifferences>& lists) {
  lists.def(nb::init<Vector<int64_t>, Vector<double>, Matrix<double>, Vector<int64_t>,
                     Vector<int32_t>, Vector<int64_t>, Vector<int32_t>, Vector<Value>, int64_t,
                     std::optional<BoundMasks>>(),
            nb::arg("offsets"), nb::arg("base"), nb::arg("dense"), nb::arg("feature_offsets"),
            nb::arg("features"), nb::arg("row_offsets"), nb::arg("places"),
            nb::arg("values").noconvert(), nb::arg("n_sparse"), nb::arg("masked").none() = nb::none());
}

template <typename Value, typename Difference>
void bind_differences(nb::module_& m) {
  m.def(
      "differences",
      [](Vector<int64_t> offsets, Vector<int64_t> row_offsets, Vector<int32_t> columns,
         Vector<Value> values, int64_t first, int64_t last, Vector<uint8_t> kept, bool clip,
         bool masks, int threads) {
        Differences<Difference> found;
        {
          nb::gil_scoped_release release;
          if (offsets.size() == 0) throw Error("sizes of the lists do not agree");
          const auto n_sentences = static_cast<int64_t>(offsets.size()) - 1;
          if (first < 0 || first > last || last > n_sentences) {
            throw Error("sentences that there are not");
          }
          if (row_offsets.size() == 0) throw Error("sizes of the lists do not agree");
          check_offsets(view(offsets), row_offsets.size() - 1, "candidates");
          check_size(columns.size(), values.size(), "columns");
          check_offsets(view(row_offsets), values.size(), "sparse features");
          const auto begin = static_cast<size_t>(row_offsets(static_cast<size_t>(offsets(first))));
          const auto end = static_cast<size_t>(row_offsets(static_cast<size_t>(offsets(last))));
          check_ids(view(columns).subspan(begin, end - begin), static_cast<int64_t>(kept.size()),
                    "columns");
          const SparseLists<Value> lists{view(offsets),     {},           0,
                                         view(row_offsets), view(columns), view(values)};
          found = differences<Value, Difference>(lists, first, last, view(kept), clip, masks,
                                                 threads);
        }
        return std::make_tuple(to_numpy(std::move(found.n_features)),
                               to_numpy(std::move(found.features)),
                               to_numpy(std::move(found.n_entries)),
                               to_numpy(std::move(found.places)),
                               to_numpy(std::move(found.values)),
                               to_numpy(std::move(found.n_masks)),
                               to_numpy(std::move(found.mask_values)),
                               to_numpy(std::move(found.n_members)),
                               to_numpy(std::move(found.members)),
                               to_numpy(std::move(found.bits)), found.n_masked);
      },
      nb::arg("offsets"), nb::arg("row_offsets"), nb::arg("columns"),
      nb::arg("values").noconvert(), nb::arg("first"), nb::arg("last"), nb::arg("kept"),
      nb::arg("clip"), nb::arg("masks"), nb::arg("threads"),
      "In what the candidates of each sentence differ: numbers of features and features by"
      " sentence, numbers of entries by candidate, their places among the features, values; with"
      " `masks` also numbers of masks by sentence, values and numbers of members by mask, places of"
      " the members, bits, and how many entries these stand for.");
}

// The sums of numbers by mask over the masks of each candidate, and those of numbers by candidate.
std::tuple<OutVector<double>, OutVector<double>> sum_by_masks(const std::string& name,
                                                              Matrix<uint8_t> masks,
                                                              Vector<double> by_mask,
                                                              Vector<double> by_candidate) {
  const auto all = mask_sums();
  const auto way = std::ranges::find(all, name, &MaskSums::name);
  if (way == all.end()) throw Error("expected one of the ways to sum up by masks");
  const Masks some{masks.data(), masks.shape(0), masks.shape(1)};
  check_size(by_mask.size(), some.n, "numbers by mask");
  check_size(by_candidate.size(), 8 * some.n_bytes, "numbers by candidate");
  std::vector<double> of_candidates(8 * some.n_bytes), of_masks(some.n);
  way->by_candidate(some, by_mask.data(), of_candidates.data());
  way->by_mask(some, by_candidate.data(), of_masks.data());
  return {to_numpy(std::move(of_candidates)), to_numpy(std::move(of_masks))};
}

void bind_losses_and_updates(nb::module_& m) {
  nb::class_<CostmarginLoss> costmargin(m, "CostmarginLoss", "See calque.tune.losses.costmargin.");
  nb::enum_<CostmarginLoss::Select>(costmargin, "Select", "Which alternative is learned from.")
      .value("loss", CostmarginLoss::Select::kLoss)
      .value("linear", CostmarginLoss::Select::kLinear)
      .value("literal", CostmarginLoss::Select::kLiteral);
  costmargin.def(
      "__init__",
      [](CostmarginLoss* self, CostmarginLoss::Select select, bool margin_factor, bool all_truths,
         int64_t near) {
        new (self) CostmarginLoss{select, margin_factor, {all_truths, near}};
      },
      nb::arg("select"), nb::arg("margin_factor"), nb::arg("all_truths"), nb::arg("near"));
  nb::class_<PerceptronLoss>(m, "PerceptronLoss", "See calque.tune.losses.perceptron.")
      .def(
          "__init__",
          [](PerceptronLoss* self, bool all_truths, int64_t near) {
            new (self) PerceptronLoss{{all_truths, near}};
          },
          nb::arg("all_truths"), nb::arg("near"));
  nb::class_<SgdUpdate>(m, "SgdUpdate", "See calque.tune.updates.sgd.")
      .def(nb::init<double, double>(), nb::arg("dense_rate"), nb::arg("sparse_rate"));
  nb::class_<AdaGradUpdate>(m, "AdaGradUpdate", "See calque.tune.updates.adagrad.")
      .def(
          "__init__",
          [](AdaGradUpdate* self, double dense_rate, double sparse_rate) {
            new (self) AdaGradUpdate{dense_rate, sparse_rate};
          },
          nb::arg("dense_rate"), nb::arg("sparse_rate"));
  nb::class_<PassiveAggressiveUpdate>(m, "PassiveAggressiveUpdate",
                                      "See calque.tune.updates.passive_aggressive.")
      .def(
          "__init__",
          [](PassiveAggressiveUpdate* self, double most) {
            new (self) PassiveAggressiveUpdate{most};
          },
          nb::arg("most"));
}

}  // namespace

void register_online(nb::module_& m) {
  bind_losses_and_updates(m);
  bind_differences<uint8_t, int16_t>(m);
  bind_differences<double, double>(m);
  m.def(
      "column_counts",
      [](Vector<int32_t> columns, int64_t n_columns) {
        std::vector<uint8_t> counts;
        {
          nb::gil_scoped_release release;
          if (n_columns < 0) throw Error("expected at least 0 columns");
          check_ids(view(columns), n_columns, "columns");
          counts = column_counts(view(columns), static_cast<size_t>(n_columns));
        }
        return to_numpy(std::move(counts));
      },
      nb::arg("columns"), nb::arg("n_columns"), "How often each column occurs, up to 255.");
  m.def("move_columns", &move, nb::arg("update"), nb::arg("columns"), nb::arg("values"),
        nb::arg("n_steps"), nb::arg("weights"), nb::arg("lag"),
        nb::arg("squares").none() = nb::none(), nb::kw_only(), nb::arg("threads"),
        "Move the weights of distinct columns after so many steps; gives them as they are then.");
  nb::class_<BoundMasks>(m, "MaskedValues",
                         "Values of features with a bit for each candidate of a sentence.")
      .def(nb::init<Vector<int64_t>, Vector<int16_t>, Vector<int64_t>, Vector<int32_t>,
                    Vector<uint8_t>>(),
           nb::arg("offsets"), nb::arg("values"), nb::arg("member_offsets"), nb::arg("members"),
           nb::arg("bits"));
  m.def(
      "mask_sums",
      [] {
        nb::list names;
        for (const MaskSums& kind : mask_sums()) names.append(kind.name);
        return names;
      },
      nb::sig("def mask_sums() -> list[str]"),
      "The ways to sum up by masks that this processor has, the fastest last.");
  m.def("sum_by_masks", &sum_by_masks, nb::arg("way"), nb::arg("masks"), nb::arg("by_mask"),
        nb::arg("by_candidate"),
        "For each candidate the sum of the numbers of its masks, and for each mask that of the"
        " numbers of its candidates, in one way.");
  nb::class_<BoundDifferences> lists(
      m, "DifferenceLists", "Lists of that in which the candidates of a sentence differ.");
  bind_lists<int16_t>(lists);
  bind_lists<double>(lists);
  lists.def("best", &best, nb::arg("weights"), nb::arg("threads"),
            "The first candidate of highest score of every sentence.");
  lists.def("add_directions", &directions, nb::arg("gains"), nb::arg("n_truths"), nb::arg("loss"),
            nb::arg("weights"), nb::arg("sum"),
            "Add the directions of all sentences under these weights, which stay, to `sum`.");
  lists.def("learn", &learn, nb::arg("order"), nb::arg("gains"), nb::arg("n_truths"),
            nb::arg("loss"), nb::arg("update"), nb::arg("dense_shrink"), nb::arg("sparse_shrink"),
            nb::arg("weights"), nb::arg("times"), nb::arg("lag").none() = nb::none(),
            nb::arg("squares").none() = nb::none(),
            "Move the weights on the sentences of the order, one after the other.");
}

}  // namespace calque::bind
