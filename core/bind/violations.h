// Gold lattices and violations as Python takes them, of either engine.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "decode/gold_lattices.h"
#include "error.h"
#include "tune/violation.h"

namespace calque::bind {

inline auto to_arrays(GoldLattices&& found) {
  return std::tuple(to_numpy(std::move(found.pairs)), to_numpy(std::move(found.n_source)),
                    to_numpy(std::move(found.n_target)), to_numpy(std::move(found.is_whole)),
                    to_numpy(std::move(found.offsets)), to_numpy(std::move(found.later)),
                    to_numpy(std::move(found.first)), to_numpy(std::move(found.last_end)),
                    to_numpy(std::move(found.n_words)), found.n_too_large);
}

inline Selection to_selection(const std::string& name) {
  if (name == "maxviolation") return Selection::kMaxViolation;
  if (name == "early") return Selection::kEarly;
  if (name == "standard") return Selection::kStandard;
  if (name == "localupdate") return Selection::kLocal;
  throw Error("a selection is maxviolation, early, standard or localupdate");
}

// Violations as arrays.
struct BoundViolations {
  void take(const std::vector<Violation>& all, size_t n_dense, bool total, int threads) {
    const size_t n_rows = total ? 1 : all.size();
    dense.resize(n_rows * n_dense);
    for (size_t i = 0; i < all.size(); ++i) {
      bins.push_back(all[i].bin);
      margins.push_back(all[i].margin);
      is_won.push_back(all[i].is_won);
      for (size_t j = 0; j < all[i].dense.size(); ++j) {
        dense[(total ? 0 : i) * n_dense + j] += all[i].dense[j];
      }
      if (!total) append(all[i].sparse);
    }
    if (total) append(sum_sparse(all, threads));
  }
  void append(const SparseVector& row) {
    keys.insert(keys.end(), row.keys.begin(), row.keys.end());
    counts.insert(counts.end(), row.counts.begin(), row.counts.end());
    offsets.push_back(static_cast<int64_t>(keys.size()));
  }
  auto to_arrays() {
    return std::tuple(to_numpy(std::move(bins)), to_numpy(std::move(margins)),
                      to_numpy(std::move(is_won)), to_numpy(std::move(dense)),
                      to_numpy(std::move(offsets)), to_numpy(std::move(keys)),
                      to_numpy(std::move(counts)));
  }

  std::vector<int32_t> bins;
  std::vector<double> margins, dense;
  std::vector<uint8_t> is_won;
  std::vector<int64_t> offsets{0};
  std::vector<uint64_t> keys;
  std::vector<float> counts;
};

// The violations that `find()` finds, as arrays; Python may run meanwhile.
template <typename Find>
auto violation_arrays(size_t n_dense, bool total, int threads, Find find) {
  BoundViolations arrays;
  {
    nb::gil_scoped_release release;
    arrays.take(find(), n_dense, total, threads);
  }
  return arrays.to_arrays();
}

}  // namespace calque::bind
