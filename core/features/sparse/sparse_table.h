// Weights of tens of millions of sparse features: 64-bit keys, float values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "features/sparse/tag_table.h"

namespace calque {

// Keys that share their upper 16 bits, those of a template, have a part of the table to themselves.
// So the features of coarse templates, which are few, stay in the cache whatever else the table
// holds; a template without weights costs nothing; and the 16 bits need no room. A part is made of
// tables of at most about a million entries, each of which grows by a quarter when it is full,
// alone: the whole never exists twice, and 50 million entries take less than 950 MB whichever way
// they arrive.
//
// Reading is safe from many threads. Oracle: tests/test_features_sparse.py (a dictionary).
class SparseTable {
 public:
  // The weights of one template.
  class Part {
   public:
    // The table of a hash is the one that its first bits name, down to the bit `shift`.
    const TagTable* tables() const { return tables_.data(); }
    int shift() const { return shift_; }
    const TagTable& table(uint64_t key) const { return tables_[hash(key) >> shift_]; }
    float& slot(uint64_t hash);
    size_t size() const;
    size_t n_bytes() const;
    void reserve(size_t n_entries);
    void scale(float factor);
    template <typename Visit>
    void for_each(Visit visit) const {
      for (const TagTable& table : tables_) table.for_each(visit);
    }

   private:
    void split();

    std::vector<TagTable> tables_ = std::vector<TagTable>(1);  // by the first bits of the hash
    int shift_ = TagTable::kBits;
  };

  // The number of entries. An entry whose value has become 0 is an entry still.
  size_t size() const;
  // Bytes of the slots, used and free.
  size_t n_bytes() const;

  // The value of the key; 0 where it is absent.
  float get(uint64_t key) const {
    const float* found = find(key);
    return found != nullptr ? *found : 0;
  }
  bool contains(uint64_t key) const { return find(key) != nullptr; }
  void set(uint64_t key, float value) { slot(key) = value; }
  void add(uint64_t key, float delta) { slot(key) += delta; }

  // The same for many keys, which may repeat; the sums of a key are taken in the order given.
  // Precondition: the spans are of one length.
  void get(std::span<const uint64_t> keys, std::span<float> values) const;
  void set(std::span<const uint64_t> keys, std::span<const float> values, int n_threads = 1);
  void add(std::span<const uint64_t> keys, std::span<const float> deltas);

  // Makes room for these keys, none of which is present, without which tables would grow step by step.
  void reserve(std::span<const uint64_t> keys);
  // Adds `scale` times every entry of the other table.
  void merge(const SparseTable& other, float scale);
  void scale(float factor);
  // Drops the entries whose magnitude is less.
  void prune_magnitude(float least);
  // Drops the entries whose value in `counts` is less.
  void prune_count(const SparseTable& counts, float least);

  // All entries, by ascending key. Takes 12 bytes an entry.
  std::pair<std::vector<uint64_t>, std::vector<float>> entries() const;

  // What places a key in its part.
  static uint64_t hash(uint64_t key) { return key & kLower; }
  // The part of the keys with the upper bits of this one, or null.
  const Part* part(uint64_t key) const {
    const int32_t at = index(key);
    return at >= 0 ? &parts_[static_cast<size_t>(at)] : nullptr;
  }

 private:
  static constexpr uint64_t kLower = (uint64_t{1} << TagTable::kBits) - 1;

  int32_t index(uint64_t key) const {
    const auto& page = pages_[key >> 56];
    return page.empty() ? -1 : page[key >> 48 & 0xff];
  }
  const float* find(uint64_t key) const;
  Part& make_part(uint64_t key);
  float& slot(uint64_t key) { return make_part(key).slot(hash(key)); }
  template <typename Apply>
  void apply(std::span<const uint64_t> keys, std::span<const float> values, int n_threads,
             Apply apply);
  // Calls visit(key, value) for every entry.
  template <typename Visit>
  void for_each(Visit visit) const;
  template <typename Keep>
  void prune(Keep keep);

  std::vector<Part> parts_;                         // in the order of their first entries
  std::vector<uint64_t> uppers_;                    // of the keys of each part
  std::array<std::vector<int32_t>, 256> pages_{};   // of parts, -1 for none; by the upper bits
};

}  // namespace calque
