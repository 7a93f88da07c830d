#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.h"
#include "bind/register.h"
#include "error.h"
#include "train/line_search.h"
#include "train/mira.h"

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

void check_scores(const Vector<double>& scores, const CandidateLists& lists) {
  if (scores.size() != lists.n_candidates()) throw Error("expected one number per candidate");
}

// Keeps the arrays alive that the search looks into.
class BoundLineSearch {
 public:
  BoundLineSearch(Vector<int64_t> offsets, Matrix<double> features, Matrix<double> statistics,
                  int threads)
      : offsets_(std::move(offsets)),
        features_(std::move(features)),
        statistics_(std::move(statistics)),
        search_(lists(), threads) {}

  const LineSearch& search() const { return search_; }

 private:
  CandidateLists lists() const {
    if (features_.shape(0) != statistics_.shape(0)) throw Error("numbers of rows differ");
    check_offsets(offsets_, features_.shape(0));
    return {view(offsets_), view(features_), features_.shape(1), view(statistics_),
            statistics_.shape(1)};
  }

  Vector<int64_t> offsets_;
  Matrix<double> features_, statistics_;
  LineSearch search_;
};

using OutMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

std::pair<OutVector<double>, OutMatrix> to_pair(LineIntervals&& found, size_t n_statistics) {
  auto* kept = new std::vector<double>(std::move(found.statistics));
  nb::capsule owner(kept,
                    [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  const size_t rows = found.breakpoints.size() + 1;
  return {to_numpy(std::move(found.breakpoints)),
          OutMatrix(kept->data(), {rows, n_statistics}, owner)};
}

}  // namespace

void register_train(nb::module_& m) {
  nb::class_<BoundLineSearch>(m, "LineSearch", "Corpus statistics along lines of weights.")
      .def(nb::init<Vector<int64_t>, Matrix<double>, Matrix<double>, int>(), nb::arg("offsets"),
           nb::arg("features"), nb::arg("statistics"), nb::arg("threads"))
      .def(
          "along_axis",
          [](const BoundLineSearch& bound, Vector<double> scores, size_t feature, int threads) {
            const LineSearch& search = bound.search();
            check_scores(scores, search.lists());
            if (feature >= search.lists().n_features) throw Error("no such feature");
            LineIntervals found;
            {
              nb::gil_scoped_release release;
              found = search.along_axis(view(scores), feature, threads);
            }
            return to_pair(std::move(found), search.lists().n_statistics);
          },
          nb::arg("scores"), nb::arg("feature"), nb::arg("threads"),
          "Breakpoints, ascending, and the statistics of the intervals that they separate.")
      .def(
          "along",
          [](const BoundLineSearch& bound, Vector<double> scores, Vector<double> slopes,
             int threads) {
            const LineSearch& search = bound.search();
            check_scores(scores, search.lists());
            check_scores(slopes, search.lists());
            LineIntervals found;
            {
              nb::gil_scoped_release release;
              found = search.along(view(scores), view(slopes), threads);
            }
            return to_pair(std::move(found), search.lists().n_statistics);
          },
          nb::arg("scores"), nb::arg("slopes"), nb::arg("threads"),
          "The same in a direction where the candidates have these slopes.");
  m.def(
      "best_candidates",
      [](Vector<int64_t> offsets, Vector<double> scores) {
        check_offsets(offsets, scores.size());
        return to_numpy(best_candidates(view(offsets), view(scores)));
      },
      nb::arg("offsets"), nb::arg("scores"),
      "The first candidate of highest score of every sentence.");
  m.def(
      "mira_pass",
      [](Vector<int64_t> offsets, Matrix<double> dense, Vector<int64_t> row_offsets,
         Vector<int32_t> columns, Vector<double> values, Vector<int64_t> order,
         Vector<double> gains, Vector<uint8_t> frozen, double step, int64_t n_seen,
         InOutVector<double> weights, InOutVector<double> lag) {
        check_offsets(offsets, dense.shape(0));
        if (row_offsets.size() != dense.shape(0) + 1 || gains.size() != dense.shape(0) ||
            columns.size() != values.size() ||
            row_offsets.data()[dense.shape(0)] != static_cast<int64_t>(values.size()) ||
            frozen.size() != weights.size() || lag.size() != weights.size()) {
          throw Error("sizes of the lists do not agree");
        }
        for (const int64_t sentence : view(order)) {
          if (sentence < 0 || sentence + 1 >= static_cast<int64_t>(offsets.size())) {
            throw Error("no such sentence");
          }
        }
        const auto n_sparse = static_cast<int64_t>(weights.size() - dense.shape(1));
        for (const int32_t column : view(columns)) {
          if (column < 0 || column >= n_sparse) throw Error("no such sparse feature");
        }
        const SparseLists lists{view(offsets), view(dense),  dense.shape(1), view(row_offsets),
                                view(columns), view(values)};
        std::vector<int64_t> chosen;
        {
          nb::gil_scoped_release release;
          chosen = mira_pass(lists, view(order), view(gains), view(frozen), step, n_seen,
                             view(weights), view(lag));
        }
        return to_numpy(std::move(chosen));
      },
      nb::arg("offsets"), nb::arg("dense"), nb::arg("row_offsets"), nb::arg("columns"),
      nb::arg("values"), nb::arg("order"), nb::arg("gains"), nb::arg("frozen"), nb::arg("step"),
      nb::arg("n_seen"), nb::arg("weights"), nb::arg("lag"),
      "Move the weights sentence by sentence; the best-scoring candidate of each before its move.");
}

}  // namespace calque::bind
