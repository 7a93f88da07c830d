#include "tune/bundled_lists.h"

#include <bit>

#include "flat_map.h"
#include "hyps/row_set.h"
#include "parallel.h"

namespace calque {

namespace {

constexpr size_t kSentencesAtOnce = 16;

// Puts offsets behind others that they continue.
void append_offsets(std::vector<int64_t>& to, const std::vector<int64_t>& more) {
  const int64_t base = to.back();
  for (size_t i = 1; i < more.size(); ++i) to.push_back(base + more[i]);
}

template <typename T>
size_t bytes_of(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

}  // namespace

// Finds the bundles of one sentence after the other.
template <typename Value>
class BundledLists::Bundler {
 public:
  explicit Bundler(const SparseLists<Value>& lists) : lists_(lists) {}

  void add(int64_t sentence, BundledLists& out) {
    const int64_t first = lists_.offsets[sentence], last = lists_.offsets[sentence + 1];
    look(first, last);
    bundles_.clear();
    firsts_.clear();
    n_members_.clear();
    for (size_t at = 0; at < features_.size(); ++at) {
      Feature& feature = features_[at];
      feature.bundle = kNone;
      if (feature.n_equal == last - first) continue;  // all have the same: it cancels
      feature.bundle = bundles_.intern(feature.rows);
      if (static_cast<size_t>(feature.bundle) == firsts_.size()) {
        firsts_.push_back(at);
        n_members_.push_back(0);
      }
      ++n_members_[static_cast<size_t>(feature.bundle)];
    }
    write_members(out);
    write_rows(first, last, out);
    out.offsets_.push_back(out.offsets_.back() + (last - first));
  }

 private:
  static constexpr int32_t kNone = -1;

  struct Feature {
    int32_t column;
    Value value;      // of the first candidate that has it
    int64_t n_equal;  // candidates with that value
    RowHash rows;     // of the candidates that have it, and their values
    int32_t bundle = kNone;
  };

  void look(int64_t first, int64_t last) {
    features_.clear();
    entries_.clear();
    known_.clear();
    for (int64_t row = first; row < last; ++row) {
      for (int64_t i = lists_.row_offsets[row]; i < lists_.row_offsets[row + 1]; ++i) {
        const auto column = static_cast<uint64_t>(lists_.columns[i]);
        const int32_t* known = known_.find(column);
        int32_t at;
        if (known != nullptr) {
          at = *known;
        } else {
          at = static_cast<int32_t>(features_.size());
          known_.insert(column, at);
          features_.push_back({lists_.columns[i], lists_.values[i], 0, {}});
        }
        entries_.push_back(at);
        Feature& feature = features_[static_cast<size_t>(at)];
        feature.n_equal += lists_.values[i] == feature.value;
        feature.rows.add(static_cast<uint64_t>(row - first));
        feature.rows.add(std::bit_cast<uint64_t>(static_cast<double>(lists_.values[i])));
      }
    }
  }

  void write_members(BundledLists& out) {
    const int64_t base = out.member_offsets_.back();
    std::vector<int64_t>& next = next_;
    next.assign(1, base);
    for (const int64_t n : n_members_) next.push_back(next.back() + n);
    out.member_offsets_.insert(out.member_offsets_.end(), next.begin() + 1, next.end());
    out.members_.resize(static_cast<size_t>(next.back()));
    for (const Feature& feature : features_) {
      if (feature.bundle == kNone) continue;
      const auto place = static_cast<size_t>(next[static_cast<size_t>(feature.bundle)]++);
      out.members_[place] = feature.column;
    }
    out.bundle_offsets_.push_back(out.bundle_offsets_.back() +
                                  static_cast<int64_t>(n_members_.size()));
  }

  void write_rows(int64_t first, int64_t last, BundledLists& out) {
    size_t next = 0;
    for (int64_t row = first; row < last; ++row) {
      for (int64_t i = lists_.row_offsets[row]; i < lists_.row_offsets[row + 1]; ++i) {
        const auto at = static_cast<size_t>(entries_[next++]);
        const int32_t bundle = features_[at].bundle;
        if (bundle == kNone || firsts_[static_cast<size_t>(bundle)] != at) continue;
        out.entries_.push_back({bundle, static_cast<double>(lists_.values[i])});
      }
      out.row_offsets_.push_back(static_cast<int64_t>(out.entries_.size()));
    }
  }

  const SparseLists<Value>& lists_;
  KeyMap<int32_t> known_;
  std::vector<Feature> features_;
  std::vector<int32_t> entries_;  // of each entry of the sentence: which feature
  Interner<RowHash> bundles_;
  std::vector<size_t> firsts_;  // of each bundle: its first feature
  std::vector<int64_t> n_members_;
  std::vector<int64_t> next_;
};

template <typename Value>
void BundledLists::append(const SparseLists<Value>& lists, int64_t first, int64_t last,
                          int threads) {
  const auto n = static_cast<size_t>(last - first);
  std::vector<BundledLists> parts((n + kSentencesAtOnce - 1) / kSentencesAtOnce);
  for_chunks(n, kSentencesAtOnce, threads, [&] {
    return [&, bundler = Bundler<Value>(lists)](size_t begin, size_t end) mutable {
      BundledLists& part = parts[begin / kSentencesAtOnce];
      for (size_t at = begin; at < end; ++at) bundler.add(first + static_cast<int64_t>(at), part);
    };
  });
  for (BundledLists& part : parts) {
    append(part);
    part = {};
  }
}

void BundledLists::append(const BundledLists& more) {
  append_offsets(offsets_, more.offsets_);
  append_offsets(bundle_offsets_, more.bundle_offsets_);
  append_offsets(member_offsets_, more.member_offsets_);
  append_offsets(row_offsets_, more.row_offsets_);
  members_.insert(members_.end(), more.members_.begin(), more.members_.end());
  entries_.insert(entries_.end(), more.entries_.begin(), more.entries_.end());
}

size_t BundledLists::n_bytes() const {
  return bytes_of(offsets_) + bytes_of(bundle_offsets_) + bytes_of(member_offsets_) +
         bytes_of(members_) + bytes_of(row_offsets_) + bytes_of(entries_);
}

template void BundledLists::append(const SparseLists<uint8_t>&, int64_t, int64_t, int);
template void BundledLists::append(const SparseLists<double>&, int64_t, int64_t, int);

}  // namespace calque
