#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "bind/arrays.h"
#include "bind/local.h"
#include "bind/register.h"
#include "checks.h"
#include "error.h"
#include "tune/bundled_lists.h"
#include "tune/line_search.h"
#include "tune/mira.h"

namespace calque::bind {
namespace {

LineSearch make_line_search(Vector<int64_t> offsets, Matrix<double> features,
                            Matrix<double> statistics, int threads) {
  if (features.shape(0) != statistics.shape(0)) throw Error("numbers of rows differ");
  if (features.shape(0) > std::numeric_limits<int32_t>::max()) throw Error("too many candidates");
  const CandidateLists lists{view(offsets), view(features), features.shape(1), view(statistics),
                             statistics.shape(1)};
  nb::gil_scoped_release release;
  check_filled_offsets(view(offsets), features.shape(0), "candidates");
  return LineSearch(lists, threads);
}

void check_weights(const Vector<double>& weights, const LineSearch& search) {
  if (weights.size() != search.n_features()) throw Error("expected one number per feature");
}

using OutMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

std::pair<OutVector<double>, OutMatrix> to_pair(LineIntervals&& found, size_t n_statistics) {
  auto* kept = new std::vector<double>(std::move(found.statistics));
  nb::capsule owner(kept,
                    [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  const size_t rows = found.breakpoints.size() + 1;
  return {to_numpy(std::move(found.breakpoints)),
          OutMatrix(kept->data(), {rows, n_statistics}, owner, {1, static_cast<int64_t>(rows)})};
}

// The lists, once their arrays are seen to belong together: sparse columns are below `n_sparse`.
template <typename Value>
SparseLists<Value> check_lists(const Vector<int64_t>& row_offsets, const Vector<int32_t>& columns,
                               const Vector<Value>& values, size_t n_rows, size_t n_sparse) {
  check_size(row_offsets.size(), n_rows + 1, "offsets of the sparse rows");
  check_size(columns.size(), values.size(), "columns");
  check_offsets(view(row_offsets), values.size(), "sparse features");
  check_ids(view(columns), static_cast<int64_t>(n_sparse), "columns");
  return {{}, {}, 0, view(row_offsets), view(columns), view(values)};
}

struct BoundBundles {
  int64_t n_sparse;  // columns are below
  BundledLists lists;
};

// Kernels over sparse lists, for each type that values are kept in; none is converted on the way.
template <typename Value>
void bind_sparse_lists(nb::module_& m) {
  m.def(
      "sparse_scores",
      [](Vector<int64_t> row_offsets, Vector<int32_t> columns, Vector<Value> values,
         Vector<double> weights) {
        if (row_offsets.size() == 0) throw Error("sizes of the lists do not agree");
        std::vector<double> scores(row_offsets.size() - 1);
        {
          nb::gil_scoped_release release;
          const auto lists =
              check_lists(row_offsets, columns, values, scores.size(), weights.size());
          for (size_t row = 0; row < scores.size(); ++row) {
            scores[row] = lists.sparse_score(static_cast<int64_t>(row), view(weights));
          }
        }
        return to_numpy(std::move(scores));
      },
      nb::arg("row_offsets"), nb::arg("columns"), nb::arg("values").noconvert(),
      nb::arg("weights"), "What the sparse features of every row add to its score.");
}

template <typename Value>
void bind_append(nb::class_<BoundBundles>& bundles) {
  bundles.def(
      "append",
      [](BoundBundles& self, Vector<int64_t> offsets, Vector<int64_t> row_offsets,
         Vector<int32_t> columns, Vector<Value> values, int64_t first, int64_t last, int threads) {
        if (row_offsets.size() == 0 || offsets.size() == 0) {
          throw Error("sizes of the lists do not agree");
        }
        nb::gil_scoped_release release;
        const size_t n_rows = row_offsets.size() - 1;
        check_filled_offsets(view(offsets), n_rows, "candidates");
        if (first < 0 || last < first || last >= static_cast<int64_t>(offsets.size())) {
          throw Error("sentences outside the lists");
        }
        // Only the rows of these sentences are looked at, so that others need not be in memory.
        check_size(columns.size(), values.size(), "columns");
        check_offsets(view(row_offsets), values.size(), "sparse features");
        const auto begin = static_cast<size_t>(row_offsets(static_cast<size_t>(offsets(first))));
        const auto end = static_cast<size_t>(row_offsets(static_cast<size_t>(offsets(last))));
        check_ids(view(columns).subspan(begin, end - begin), self.n_sparse, "columns");
        const SparseLists<Value> lists{view(offsets),     {},           0,
                                       view(row_offsets), view(columns), view(values)};
        self.lists.append(lists, first, last, threads);
      },
      nb::arg("offsets"), nb::arg("row_offsets"), nb::arg("columns"),
      nb::arg("values").noconvert(), nb::arg("first"), nb::arg("last"), nb::arg("threads"),
      "Add the sentences from `first` up to `last` of lists behind those that are there.");
}

void bind_bundles(nb::module_& m) {
  nb::class_<BoundBundles> bundles(
      m, "BundledLists", "Lists in which sparse features that go together are one.");
  bundles
      .def(
          "__init__",
          [](BoundBundles* self, int64_t n_sparse) {
            if (n_sparse < 0) throw Error("expected at least 0 sparse features");
            new (self) BoundBundles{n_sparse, {}};
          },
          nb::arg("n_sparse"))
      .def_prop_ro("n_bytes", [](const BoundBundles& self) { return self.lists.n_bytes(); });
  bind_append<uint8_t>(bundles);
  bind_append<double>(bundles);
  m.def(
      "mira_pass",
      [](const BoundBundles& bundles, Matrix<double> dense, Vector<int64_t> order,
         Vector<double> gains, Vector<uint8_t> frozen, double step, int64_t n_seen,
         InOutVector<double> weights, InOutVector<double> lag) {
        const size_t n_rows = bundles.lists.n_candidates(), n_dense = dense.shape(1);
        std::vector<int64_t> chosen;
        {
          nb::gil_scoped_release release;
          check_size(dense.shape(0), n_rows, "rows of dense features");
          check_size(gains.size(), n_rows, "gains");
          check_size(weights.size(), n_dense + static_cast<size_t>(bundles.n_sparse), "weights");
          check_size(frozen.size(), weights.size(), "frozen weights");
          check_size(lag.size(), weights.size(), "lag");
          check_ids(view(order), static_cast<int64_t>(bundles.lists.n_sentences()),
                    "order of sentences");
          chosen = mira_pass(bundles.lists, view(dense), n_dense, view(order), view(gains),
                             view(frozen), step, n_seen, view(weights), view(lag));
        }
        return to_numpy(std::move(chosen));
      },
      nb::arg("lists"), nb::arg("dense"), nb::arg("order"), nb::arg("gains"), nb::arg("frozen"),
      nb::arg("step"), nb::arg("n_seen"), nb::arg("weights"), nb::arg("lag"),
      "Move the weights sentence by sentence; the best-scoring candidate of each before its move.");
}

}  // namespace

void register_tune(nb::module_& m) {
  nb::class_<LineSearch>(m, "LineSearch", "Corpus statistics along lines of weights.")
      .def(
          "__init__",
          [](LineSearch* self, Vector<int64_t> offsets, Matrix<double> features,
             Matrix<double> statistics, int threads) {
            new (self) LineSearch(make_line_search(offsets, features, statistics, threads));
          },
          nb::arg("offsets"), nb::arg("features"), nb::arg("statistics"), nb::arg("threads"))
      .def(
          "start",
          [](LineSearch& search, Vector<double> weights) {
            check_weights(weights, search);
            nb::gil_scoped_release release;
            search.start(view(weights));
          },
          nb::arg("weights"), "Make these weights the point through which lines go.")
      .def(
          "statistics", [](const LineSearch& search) { return to_numpy(search.statistics()); },
          "The sum of the statistics of the best candidates at the point.")
      .def(
          "along",
          [](LineSearch& search, Vector<double> direction) {
            check_weights(direction, search);
            LineIntervals found;
            {
              nb::gil_scoped_release release;
              found = search.along(view(direction));
            }
            return to_pair(std::move(found), search.n_statistics());
          },
          nb::arg("direction"),
          "Breakpoints, ascending, and the statistics of the intervals that they separate.")
      .def(
          "move",
          [](LineSearch& search, double gamma) {
            nb::gil_scoped_release release;
            search.move(gamma);
          },
          nb::arg("gamma"), "Move the point so far in the last direction.");
  m.def(
      "best_candidates",
      [](Vector<int64_t> offsets, Vector<double> scores) {
        std::vector<int64_t> best;
        {
          nb::gil_scoped_release release;
          check_filled_offsets(view(offsets), scores.size(), "candidates");
          best = best_candidates(view(offsets), view(scores));
        }
        return to_numpy(std::move(best));
      },
      nb::arg("offsets"), nb::arg("scores"),
      "The first candidate of highest score of every sentence.");
  register_local(m);
  bind_sparse_lists<uint8_t>(m);
  bind_sparse_lists<double>(m);
  bind_bundles(m);
}

}  // namespace calque::bind
