// Lists of differences in arrays of Python's, for every kernel that learns from them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "bind/arrays.h"
#include "checks.h"
#include "error.h"
#include "tune/differences.h"

namespace calque::bind {

// The masked values of lists in arrays of the caller's.
class BoundMasks {
 public:
  BoundMasks(Vector<int64_t> offsets, Vector<int16_t> values, Vector<int64_t> member_offsets,
             Vector<int32_t> members, Vector<uint8_t> bits)
      : offsets_(offsets),
        values_(values),
        member_offsets_(member_offsets),
        members_(members),
        bits_(bits) {}

  // They are of such sentences; finds where the masks of each begin.
  void check(std::span<const int64_t> candidates, std::span<const int64_t> features) {
    check_size(offsets_.size(), candidates.size(), "offsets of the masks");
    check_offsets(view(offsets_), values_.size(), "masks");
    check_size(member_offsets_.size(), values_.size() + 1, "offsets of the members");
    check_offsets(view(member_offsets_), members_.size(), "members of masks");
    byte_offsets_.assign(1, 0);
    for (size_t s = 0; s + 1 < candidates.size(); ++s) {
      const auto first = static_cast<size_t>(offsets_(s)), last = static_cast<size_t>(offsets_(s + 1));
      const auto begin = static_cast<size_t>(member_offsets_(first));
      const auto end = static_cast<size_t>(member_offsets_(last));
      check_ids(view(members_).subspan(begin, end - begin), features[s + 1] - features[s],
                "members of masks");
      const auto n_candidates = static_cast<size_t>(candidates[s + 1] - candidates[s]);
      byte_offsets_.push_back(byte_offsets_.back() +
                              static_cast<int64_t>((last - first) * mask_bytes(n_candidates)));
    }
    check_size(bits_.size(), static_cast<size_t>(byte_offsets_.back()), "bytes of the masks");
  }

  MaskedLists lists() const {
    return {view(offsets_), byte_offsets_,  view(values_), view(member_offsets_),
            view(members_), view(bits_)};
  }

 private:
  Vector<int64_t> offsets_;
  Vector<int16_t> values_;
  Vector<int64_t> member_offsets_;
  Vector<int32_t> members_;
  Vector<uint8_t> bits_;
  std::vector<int64_t> byte_offsets_;
};

// The features of every sentence ascend.
inline void check_ascending(std::span<const int64_t> offsets, std::span<const int32_t> features) {
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto begin = static_cast<size_t>(offsets[s]);
    const auto own = features.subspan(begin, static_cast<size_t>(offsets[s + 1]) - begin);
    if (std::ranges::adjacent_find(own, std::greater_equal{}) != own.end()) {
      throw Error("expected the features of every sentence to ascend");
    }
  }
}

// Lists of differences in arrays of the caller's, checked once and kept alive.
class BoundDifferences {
 public:
  template <typename Value>
  BoundDifferences(Vector<int64_t> offsets, Vector<double> base, Matrix<double> dense,
                   Vector<int64_t> feature_offsets, Vector<int32_t> features,
                   Vector<int64_t> row_offsets, Vector<int32_t> places, Vector<Value> values,
                   int64_t n_sparse, const std::optional<BoundMasks>& masked)
      : n_weights_(dense.shape(1) + static_cast<size_t>(n_sparse)),
        arrays_{offsets, base, dense, feature_offsets, features, row_offsets, places},
        values_(values),
        masked_(masked) {
    const size_t n_rows = dense.shape(0);
    if (n_sparse < 0) throw Error("expected at least 0 sparse features");
    check_filled_offsets(view(offsets), n_rows, "candidates");
    check_size(base.size(), n_rows, "base scores");
    check_size(feature_offsets.size(), offsets.size(), "offsets of the features");
    check_offsets(view(feature_offsets), features.size(), "features");
    check_ids(view(features), n_sparse, "features");
    check_ascending(view(feature_offsets), view(features));
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
    if (!masked_) return;
    if (!std::is_same_v<Value, int16_t>) throw Error("lists with masks: expected whole values");
    masked_->check(view(offsets), view(feature_offsets));
  }

  std::span<const int64_t> offsets() const { return view(arrays_.offsets); }
  size_t n_sentences() const { return arrays_.offsets.size() - 1; }
  size_t n_candidates() const { return arrays_.base.size(); }
  size_t n_dense() const { return arrays_.dense.shape(1); }
  size_t n_weights() const { return n_weights_; }
  // For kernels that know entries only.
  void check_entries_only() const {
    if (masked_) throw Error("lists with masks: expected lists whose values are all entries");
  }

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
            view(values),              ones_,
            masked_ ? masked_->lists() : MaskedLists{}};
  }

  size_t n_weights_;
  Arrays arrays_;
  std::variant<Vector<int16_t>, Vector<double>> values_;
  std::vector<int32_t> ones_;
  std::optional<BoundMasks> masked_;
};

}  // namespace calque::bind
