// Lists of differences in arrays of Python's, for every kernel that learns from them.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "bind/arrays.h"
#include "checks.h"
#include "error.h"
#include "tune/differences.h"

namespace calque::bind {

// Lists of differences in arrays of the caller's, checked once and kept alive.
class BoundDifferences {
 public:
  template <typename Value>
  BoundDifferences(Vector<int64_t> offsets, Vector<double> base, Matrix<double> dense,
                   Vector<int64_t> feature_offsets, Vector<int32_t> features,
                   Vector<int64_t> row_offsets, Vector<int32_t> places, Vector<Value> values,
                   int64_t n_sparse)
      : n_weights_(dense.shape(1) + static_cast<size_t>(n_sparse)),
        arrays_{offsets, base, dense, feature_offsets, features, row_offsets, places},
        values_(values) {
    const size_t n_rows = dense.shape(0);
    if (n_sparse < 0) throw Error("expected at least 0 sparse features");
    check_filled_offsets(view(offsets), n_rows, "candidates");
    check_size(base.size(), n_rows, "base scores");
    check_size(feature_offsets.size(), offsets.size(), "offsets of the features");
    check_offsets(view(feature_offsets), features.size(), "features");
    check_ids(view(features), n_sparse, "features");
    check_size(row_offsets.size(), n_rows + 1, "offsets of the entries");
    check_size(places.size(), values.size(), "places");
    check_offsets(view(row_offsets), values.size(), "entries");
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      const int64_t begin = row_offsets(static_cast<size_t>(offsets(s)));
      const int64_t end = row_offsets(static_cast<size_t>(offsets(s + 1)));
      check_ids(view(places).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)),
                feature_offsets(s + 1) - feature_offsets(s), "places");
    }
    ones_ = count_ones<Value>(view(row_offsets), view(values));
  }

  std::span<const int64_t> offsets() const { return view(arrays_.offsets); }
  size_t n_sentences() const { return arrays_.offsets.size() - 1; }
  size_t n_candidates() const { return arrays_.base.size(); }
  size_t n_dense() const { return arrays_.dense.shape(1); }
  size_t n_weights() const { return n_weights_; }

  // What `work` gives for the lists, whatever the type of their values.
  template <typename Work>
  auto with(Work work) const {
    return std::visit([&](const auto& values) { return work(view_of(values)); }, values_);
  }

 private:
  struct Arrays {
    Vector<int64_t> offsets;
    Vector<double> base;
    Matrix<double> dense;
    Vector<int64_t> feature_offsets;
    Vector<int32_t> features;
    Vector<int64_t> row_offsets;
    Vector<int32_t> places;
  };

  template <typename Value>
  DifferenceLists<Value> view_of(const Vector<Value>& values) const {
    return {view(arrays_.offsets),     view(arrays_.base),
            view(arrays_.dense),       arrays_.dense.shape(1),
            view(arrays_.feature_offsets), view(arrays_.features),
            view(arrays_.row_offsets), view(arrays_.places),
            view(values),              ones_};
  }

  size_t n_weights_;
  Arrays arrays_;
  std::variant<Vector<int16_t>, Vector<double>> values_;
  std::vector<int32_t> ones_;
};

}  // namespace calque::bind
