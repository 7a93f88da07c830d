// Lists of candidates in which sparse features that go together within a sentence are one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tune/sparse_lists.h"

namespace calque {

// A bundle is the sparse features that the same candidates of a sentence have with the same values:
// those of one block, say, by hundreds of templates. A candidate with thousands of features has few
// bundles, so that a sum over these is fast, and lists of gigabytes take megabytes. What all
// candidates of a sentence have with the same value cancels in every comparison and is left out.
// Oracle: tests/test_tune_mira.py.
class BundledLists {
 public:
  struct Entry {
    int32_t bundle;  // in its sentence
    double value;    // of each of its features
  };

  // Adds the sentences from `first` up to `last` behind those that are there. The number of threads
  // changes nothing. Precondition: a row has no column twice.
  template <typename Value>
  void append(const SparseLists<Value>& lists, int64_t first, int64_t last, int threads);

  size_t n_sentences() const { return offsets_.size() - 1; }
  size_t n_candidates() const { return row_offsets_.size() - 1; }
  size_t n_bytes() const;
  // The candidates of sentence s are offsets()[s] .. offsets()[s + 1].
  std::span<const int64_t> offsets() const { return offsets_; }

  size_t n_bundles(int64_t sentence) const {
    return static_cast<size_t>(bundle_offsets_[sentence + 1] - bundle_offsets_[sentence]);
  }
  // The columns of the features of a bundle, by the order in which they first appear.
  std::span<const int32_t> members(int64_t sentence, int32_t bundle) const {
    const auto at = static_cast<size_t>(bundle_offsets_[sentence] + bundle);
    const auto begin = static_cast<size_t>(member_offsets_[at]);
    return std::span(members_).subspan(begin, static_cast<size_t>(member_offsets_[at + 1]) - begin);
  }
  // The bundles of a candidate. Equal candidates have them in the same order.
  std::span<const Entry> entries(int64_t candidate) const {
    const auto begin = static_cast<size_t>(row_offsets_[candidate]);
    const auto end = static_cast<size_t>(row_offsets_[candidate + 1]);
    return std::span(entries_).subspan(begin, end - begin);
  }

 private:
  template <typename Value>
  class Bundler;

  void append(const BundledLists& more);

  std::vector<int64_t> offsets_{0};
  std::vector<int64_t> bundle_offsets_{0};  // by sentence
  std::vector<int64_t> member_offsets_{0};  // by bundle
  std::vector<int32_t> members_;
  std::vector<int64_t> row_offsets_{0};  // by candidate
  std::vector<Entry> entries_;
};

}  // namespace calque
