#include "tune/differences.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "flat_map.h"
#include "hash.h"
#include "parallel.h"

namespace calque {

namespace {

constexpr size_t kSentencesAtOnce = 64;
constexpr uint8_t kMostCount = 255;
// So many candidates for each byte of a mask, and no fewer than two, have a value that is masked.
constexpr double kLeastPerByte = 0.5;

// Moves values that many candidates of a sentence have from entries into masks.
class Masking {
 public:
  // The candidates of the sentence, `n_rows`, are the last in `out`; their entries begin at `begin`.
  void mask(size_t begin, size_t n_rows, Differences<int16_t>& out) {
    find(begin, out);
    const size_t n_bytes = mask_bytes(n_rows);
    const auto least = static_cast<size_t>(kLeastPerByte * static_cast<double>(n_bytes));
    masked_.clear();
    for (Found& found : found_) {
      if (found.n_candidates < std::max<size_t>(2, least)) continue;
      found.mask = static_cast<int64_t>(masked_.size());
      masked_.push_back(&found);
    }
    bits_.assign(masked_.size() * n_bytes, 0);
    move(begin, n_rows, out);
    write(n_bytes, out);
  }

 private:
  struct Found {
    int32_t place;
    int16_t value;
    size_t n_candidates = 0;
    int64_t mask = -1;
  };

  // Finds the values of the sentence, and which one each entry is.
  void find(size_t begin, const Differences<int16_t>& out) {
    found_.clear();
    entries_.clear();
    known_.clear();
    for (size_t i = begin; i < out.places.size(); ++i) {
      const uint64_t key = static_cast<uint64_t>(out.places[i]) << 16 |
                           static_cast<uint16_t>(out.values[i]);
      const int32_t* known = known_.find(key);
      const int32_t at = known == nullptr ? static_cast<int32_t>(found_.size()) : *known;
      if (known == nullptr) {
        known_.insert(key, at);
        found_.push_back({out.places[i], out.values[i]});
      }
      ++found_[static_cast<size_t>(at)].n_candidates;
      entries_.push_back(at);
    }
  }

  // Keeps the entries of what is not masked, and sets the bits of what is.
  void move(size_t begin, size_t n_rows, Differences<int16_t>& out) {
    const size_t n_bytes = mask_bytes(n_rows);
    int64_t* const lengths = out.n_entries.data() + (out.n_entries.size() - n_rows);
    size_t to = begin, from = begin;
    for (size_t row = 0; row < n_rows; ++row) {
      const size_t end = from + static_cast<size_t>(lengths[row]), before = to;
      for (; from < end; ++from) {
        const Found& found = found_[static_cast<size_t>(entries_[from - begin])];
        if (found.mask >= 0 &&
            take(bits_[static_cast<size_t>(found.mask) * n_bytes + row / 8], row % 8)) {
          ++out.n_masked;
          continue;
        }
        out.places[to] = out.places[from];
        out.values[to++] = out.values[from];
      }
      lengths[row] = static_cast<int64_t>(to - before);
    }
    out.places.resize(to);
    out.values.resize(to);
  }

  // Writes every mask once, with all features that have it and the same value.
  void write(size_t n_bytes, Differences<int16_t>& out) {
    const auto bits = [&](const Found* found) {
      return std::span(bits_).subspan(static_cast<size_t>(found->mask) * n_bytes, n_bytes);
    };
    const auto order = [&](const Found* one, const Found* other) {
      if (one->value != other->value) return one->value <=> other->value;
      return std::lexicographical_compare_three_way(bits(one).begin(), bits(one).end(),
                                                    bits(other).begin(), bits(other).end());
    };
    std::ranges::sort(masked_, [&](const Found* one, const Found* other) {
      const auto less = order(one, other);
      return less < 0 || (less == 0 && one->place < other->place);
    });
    int64_t n_masks = 0;
    const Found* last = nullptr;
    for (const Found* found : masked_) {
      if (last == nullptr || order(last, found) != 0) {
        ++n_masks;
        out.mask_values.push_back(found->value);
        out.n_members.push_back(0);
        out.bits.insert(out.bits.end(), bits(found).begin(), bits(found).end());
      }
      ++out.n_members.back();
      out.members.push_back(found->place);
      last = found;
    }
    out.n_masks.push_back(n_masks);
  }

  // Sets a bit; whether it was not set, as it is where a candidate has a feature twice.
  static bool take(uint8_t& byte, size_t bit) {
    const auto mask = static_cast<uint8_t>(1 << bit);
    const bool is_new = (byte & mask) == 0;
    byte |= mask;
    return is_new;
  }

  KeyMap<int32_t> known_;
  std::vector<Found> found_;
  std::vector<int32_t> entries_;
  std::vector<const Found*> masked_;
  std::vector<uint8_t> bits_;  // of those
};

// The features of one sentence while its candidates are compared.
template <typename Value, typename Difference>
class Comparison {
 public:
  Comparison(const SparseLists<Value>& lists, std::span<const uint8_t> kept, bool clip, bool masks)
      : lists_(lists), kept_(kept), clip_(clip), masks_(masks) {}

  void add(int64_t sentence, Differences<Difference>& out) {
    const int64_t first = lists_.offsets[sentence], last = lists_.offsets[sentence + 1];
    look(first, last);
    const size_t before = out.features.size(), first_entry = out.places.size();
    usual_.clear();
    for (const size_t at : ascending()) {
      Feature& feature = features_[at];
      feature.usual = 2 * feature.n_equal > last - first ? feature.value : Difference{0};
      feature.place = -1;
      if (feature.n_equal == last - first) continue;  // all have the same: it cancels
      feature.place = static_cast<int32_t>(out.features.size() - before);
      out.features.push_back(feature.column);
      if (feature.usual != 0) usual_.push_back(&feature);
    }
    out.n_features.push_back(static_cast<int64_t>(out.features.size() - before));
    size_t at = 0;
    for (int64_t row = first; row < last; ++row) write(row, at, out);
    if constexpr (std::is_same_v<Difference, int16_t>) {
      if (masks_) masking_.mask(first_entry, static_cast<size_t>(last - first), out);
    }
  }

 private:
  struct Feature {
    int32_t column;
    Difference value;  // of the first candidate that has it
    int64_t n_equal;   // candidates with that value
    Difference usual = 0;
    int32_t place = -1;
    int64_t last_row = -1;
  };

  Difference value_of(int64_t entry) const {
    const auto value = static_cast<Difference>(lists_.values[entry]);
    return clip_ && value != 0 ? Difference{1} : value;
  }

  // Finds the features of the sentence, and for each entry of its candidates which one it is.
  void look(int64_t first, int64_t last) {
    features_.clear();
    entries_.clear();
    found_.clear();
    for (int64_t i = lists_.row_offsets[first]; i < lists_.row_offsets[last]; ++i) {
      const int32_t column = lists_.columns[i];
      if (!kept_[static_cast<size_t>(column)]) continue;
      const Difference value = value_of(i);
      auto* known = found_.find(static_cast<uint64_t>(column));
      if (known == nullptr) {
        found_.insert(static_cast<uint64_t>(column), static_cast<int32_t>(features_.size()));
        entries_.push_back(static_cast<int32_t>(features_.size()));
        features_.push_back({column, value, 1});
      } else {
        entries_.push_back(*known);
        Feature& feature = features_[static_cast<size_t>(*known)];
        feature.n_equal += value == feature.value;
      }
    }
  }

  // The features of the sentence by their columns.
  const std::vector<size_t>& ascending() {
    ascending_.resize(features_.size());
    std::iota(ascending_.begin(), ascending_.end(), size_t{0});
    std::ranges::sort(ascending_, {}, [&](size_t at) { return features_[at].column; });
    return ascending_;
  }

  // Writes the entries of a candidate, whose first one in `entries_` is `at`.
  void write(int64_t row, size_t& at, Differences<Difference>& out) {
    const size_t before = out.places.size();
    for (int64_t i = lists_.row_offsets[row]; i < lists_.row_offsets[row + 1]; ++i) {
      if (!kept_[static_cast<size_t>(lists_.columns[i])]) continue;
      Feature& feature = features_[static_cast<size_t>(entries_[at++])];
      feature.last_row = row;
      put(feature, static_cast<Difference>(value_of(i) - feature.usual), out);
    }
    for (const Feature* feature : usual_) {
      if (feature->last_row != row) put(*feature, static_cast<Difference>(-feature->usual), out);
    }
    put_ones_first(before, out);
    out.n_entries.push_back(static_cast<int64_t>(out.places.size() - before));
  }

  static void put(const Feature& feature, Difference value, Differences<Difference>& out) {
    if (value == 0 || feature.place < 0) return;
    out.places.push_back(feature.place);
    out.values.push_back(value);
  }

  // Puts entries of 1 before those of -1, and these before the others; otherwise they stay in order.
  void put_ones_first(size_t before, Differences<Difference>& out) {
    row_.clear();
    for (size_t i = before; i < out.places.size(); ++i) row_.emplace_back(out.places[i], out.values[i]);
    const auto is_one = [](const auto& entry) { return entry.second == Difference{1}; };
    const auto is_minus = [](const auto& entry) { return entry.second == Difference{-1}; };
    const auto rest = std::stable_partition(row_.begin(), row_.end(), is_one);
    std::stable_partition(rest, row_.end(), is_minus);
    for (size_t i = 0; i < row_.size(); ++i) {
      std::tie(out.places[before + i], out.values[before + i]) = row_[i];
    }
  }

  const SparseLists<Value>& lists_;
  std::span<const uint8_t> kept_;
  bool clip_, masks_;
  Masking masking_;
  KeyMap<int32_t> found_;
  std::vector<Feature> features_;
  std::vector<size_t> ascending_;
  std::vector<const Feature*> usual_;  // what more than half of the candidates have
  std::vector<int32_t> entries_;
  std::vector<std::pair<int32_t, Difference>> row_;  // the entries of a candidate
};

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

std::vector<uint8_t> column_counts(std::span<const int32_t> columns, size_t n_columns) {
  std::vector<uint8_t> counts(n_columns);
  for (const int32_t column : columns) {
    uint8_t& count = counts[static_cast<size_t>(column)];
    if (count < kMostCount) ++count;
  }
  return counts;
}

template <typename Value>
std::vector<int32_t> count_ones(std::span<const int64_t> row_offsets, std::span<const Value> values) {
  std::vector<int32_t> ones(2 * (row_offsets.size() - 1));
  for (size_t row = 0; row + 1 < row_offsets.size(); ++row) {
    int64_t i = row_offsets[row];
    const int64_t end = row_offsets[row + 1];
    for (; i < end && values[i] == Value{1}; ++i) ++ones[2 * row];
    for (; i < end && values[i] == Value{-1}; ++i) ++ones[2 * row + 1];
  }
  return ones;
}

template std::vector<int32_t> count_ones(std::span<const int64_t>, std::span<const int16_t>);
template std::vector<int32_t> count_ones(std::span<const int64_t>, std::span<const double>);

template <typename Value, typename Difference>
Differences<Difference> differences(const SparseLists<Value>& lists, int64_t first, int64_t last,
                                    std::span<const uint8_t> kept, bool clip, bool masks,
                                    int threads) {
  const auto n = static_cast<size_t>(last - first);
  std::vector<Differences<Difference>> parts((n + kSentencesAtOnce - 1) / kSentencesAtOnce);
  for_chunks(n, kSentencesAtOnce, threads, [&] {
    return [&, comparison = Comparison<Value, Difference>(lists, kept, clip, masks)](
               size_t begin, size_t end) mutable {
      auto& part = parts[begin / kSentencesAtOnce];
      for (size_t at = begin; at < end; ++at) {
        comparison.add(first + static_cast<int64_t>(at), part);
      }
    };
  });
  Differences<Difference> all;
  for (auto& part : parts) {
    append(all.n_features, part.n_features);
    append(all.features, part.features);
    append(all.n_entries, part.n_entries);
    append(all.places, part.places);
    append(all.values, part.values);
    append(all.n_masks, part.n_masks);
    append(all.mask_values, part.mask_values);
    append(all.n_members, part.n_members);
    append(all.members, part.members);
    append(all.bits, part.bits);
    all.n_masked += part.n_masked;
    part = {};
  }
  return all;
}

template Differences<int16_t> differences(const SparseLists<uint8_t>&, int64_t, int64_t,
                                          std::span<const uint8_t>, bool, bool, int);
template Differences<double> differences(const SparseLists<double>&, int64_t, int64_t,
                                         std::span<const uint8_t>, bool, bool, int);

}  // namespace calque
