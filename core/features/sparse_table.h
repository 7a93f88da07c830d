// Weights of tens of millions of sparse features: 64-bit keys, float values, 12 bytes a slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hash.h"
#include "huge_pages.h"

namespace calque {

// An open-addressing table cut into 32 shards by the hash of the key. Three decisions:
//
// - A slot holds the hash itself, not the key: `mix` is a bijection, so nothing is lost, and the
//   home of an entry grows with its hash. Entries of a shard lie in ascending order with gaps
//   between them, so a miss ends at the first larger hash and full tables stay fast (load 0.875).
// - A shard grows by a quarter when it is full, alone: the table never exists twice, and 50 million
//   entries take less than 900 MB whichever way they arrive.
// - Where an entry lies depends on what the table holds, not on pointers or on chance.
//
// Reading is safe from many threads. Oracle: tests/test_features_sparse.py (a dictionary).
class SparseTable {
 public:
  SparseTable();

  // The number of entries. An entry whose value has become 0 is an entry still.
  size_t size() const;
  // Bytes of the slots, used and free.
  size_t n_bytes() const;

  // The value of the key; 0 where it is absent.
  float get(uint64_t key) const {
    const uint64_t hash = mix(key);
    const Shard& shard = shards_[hash >> kShift];
    const uint64_t* at = shard.hashes.data() + shard.home(hash);
    while (*at < hash) ++at;  // ends at the last slot, which is always free
    if (*at != hash) return 0;
    return hash == kFree ? last_ : shard.values[static_cast<size_t>(at - shard.hashes.data())];
  }
  bool contains(uint64_t key) const;
  // A `get` that follows well after this does not wait for memory.
  void prefetch(uint64_t key) const {
    const uint64_t hash = mix(key);
    const Shard& shard = shards_[hash >> kShift];
    const size_t at = shard.home(hash);
    __builtin_prefetch(shard.hashes.data() + at);
    __builtin_prefetch(shard.values.data() + at);
  }

  void set(uint64_t key, float value) { slot(mix(key)) = value; }
  void add(uint64_t key, float delta) { slot(mix(key)) += delta; }

  // The same for many keys, which may repeat; the sums of a key are taken in the order given.
  // Precondition: the spans are of one length.
  void get(std::span<const uint64_t> keys, std::span<float> values) const;
  void set(std::span<const uint64_t> keys, std::span<const float> values);
  void add(std::span<const uint64_t> keys, std::span<const float> deltas);

  // Makes room for so many entries in all, without which loading would grow shards step by step.
  void reserve(size_t n_entries);
  // Adds `scale` times every entry of the other table.
  void merge(const SparseTable& other, float scale);
  void scale(float factor);
  // Drops the entries whose magnitude is less.
  void prune_magnitude(float least);
  // Drops the entries whose value in `counts` is less.
  void prune_count(const SparseTable& counts, float least);

  // All entries, by ascending key. Takes 12 bytes an entry.
  std::pair<std::vector<uint64_t>, std::vector<float>> entries() const;

 private:
  static constexpr int kShift = 59;
  static constexpr size_t kShards = size_t{1} << (64 - kShift);
  static constexpr uint64_t kFree = ~0ULL;  // the one hash that is not stored: see `last_`

  struct Shard {
    LargeVector<uint64_t> hashes;  // ascending but for free slots; the last slot stays free
    LargeVector<float> values;
    uint64_t n_homes = 0;  // slots in which an entry may be at home; some more follow them
    size_t size = 0;

    size_t home(uint64_t hash) const {
      __extension__ using Wide = unsigned __int128;
      return static_cast<size_t>(static_cast<Wide>(hash << (64 - kShift)) * n_homes >> 64);
    }
    // Empties the shard and gives it so many homes.
    void clear(uint64_t homes);
    // Appends an entry, the hash being larger than all before; `next` is the first slot after them.
    void append(uint64_t hash, float value, size_t& next);
    // The shard with so many homes and those of its entries that keep(hash, value).
    template <typename Keep>
    void rebuild(uint64_t homes, Keep keep);
    float& slot(uint64_t hash);
  };

  static uint64_t homes_for(size_t n_entries);
  float& slot(uint64_t hash);
  template <typename Apply>
  void apply(std::span<const uint64_t> keys, std::span<const float> values, Apply apply);
  template <typename Keep>
  void prune(Keep keep);

  std::vector<Shard> shards_;
  float last_ = 0;  // the value of the key whose hash marks free slots, of which there is one
  bool has_last_ = false;
};

}  // namespace calque
