#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "bind/arrays.h"
#include "bind/register.h"
#include "error.h"
#include "tune/line_search.h"
#include "tune/mira.h"

namespace calque::bind {
namespace {

template <typename T>
using InOutVector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void check_offsets(const Vector<int64_t>& offsets, size_t n_candidates) {
  if (offsets.size() < 2) throw Error("lists of no sentence");
  const auto lists = view(offsets);
  if (lists[0] != 0 || lists.back() != static_cast<int64_t>(n_candidates)) {
    throw Error("offsets do not cover the candidates");
  }
  for (size_t s = 1; s < lists.size(); ++s) {
    if (lists[s] <= lists[s - 1]) throw Error("a list is empty");
  }
}

LineSearch make_line_search(Vector<int64_t> offsets, Matrix<double> features,
                            Matrix<double> statistics, int threads) {
  if (features.shape(0) != statistics.shape(0)) throw Error("numbers of rows differ");
  if (features.shape(0) > std::numeric_limits<int32_t>::max()) throw Error("too many candidates");
  check_offsets(offsets, features.shape(0));
  const CandidateLists lists{view(offsets), view(features), features.shape(1), view(statistics),
                             statistics.shape(1)};
  nb::gil_scoped_release release;
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
  const auto rows = view(row_offsets);
  if (rows.size() != n_rows + 1 || columns.size() != values.size() || rows[0] != 0 ||
      rows[n_rows] != static_cast<int64_t>(values.size())) {
    throw Error("sizes of the lists do not agree");
  }
  for (size_t i = 0; i < n_rows; ++i) {
    if (rows[i] > rows[i + 1]) throw Error("offsets must not fall");
  }
  for (const int32_t column : view(columns)) {
    if (column < 0 || static_cast<size_t>(column) >= n_sparse) throw Error("no such sparse feature");
  }
  return {{}, {}, 0, rows, view(columns), view(values)};
}

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
  m.def(
      "mira_pass",
      [](Vector<int64_t> offsets, Matrix<double> dense, Vector<int64_t> row_offsets,
         Vector<int32_t> columns, Vector<Value> values, Vector<int64_t> order,
         Vector<double> gains, Vector<uint8_t> frozen, double step, int64_t n_seen,
         InOutVector<double> weights, InOutVector<double> lag) {
        const size_t n_rows = dense.shape(0), n_dense = dense.shape(1);
        if (gains.size() != n_rows || frozen.size() != weights.size() ||
            lag.size() != weights.size() || weights.size() < n_dense) {
          throw Error("sizes of the lists do not agree");
        }
        std::vector<int64_t> chosen;
        {
          nb::gil_scoped_release release;
          check_offsets(offsets, n_rows);
          for (const int64_t sentence : view(order)) {
            if (sentence < 0 || sentence + 1 >= static_cast<int64_t>(offsets.size())) {
              throw Error("no such sentence");
            }
          }
          auto lists = check_lists(row_offsets, columns, values, n_rows, weights.size() - n_dense);
          lists.offsets = view(offsets);
          lists.dense = view(dense);
          lists.n_dense = n_dense;
          chosen = mira_pass(lists, view(order), view(gains), view(frozen), step, n_seen,
                             view(weights), view(lag));
        }
        return to_numpy(std::move(chosen));
      },
      nb::arg("offsets"), nb::arg("dense"), nb::arg("row_offsets"), nb::arg("columns"),
      nb::arg("values").noconvert(), nb::arg("order"), nb::arg("gains"), nb::arg("frozen"),
      nb::arg("step"), nb::arg("n_seen"), nb::arg("weights").noconvert(),
      nb::arg("lag").noconvert(),
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
        check_offsets(offsets, scores.size());
        return to_numpy(best_candidates(view(offsets), view(scores)));
      },
      nb::arg("offsets"), nb::arg("scores"),
      "The first candidate of highest score of every sentence.");
  bind_sparse_lists<uint8_t>(m);
  bind_sparse_lists<double>(m);
}

}  // namespace calque::bind
