// Weights of tens of millions of sparse features: 64-bit keys, float values, 12.8 bytes a slot.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hash.h"
#include "huge_pages.h"

namespace calque {

// An open-addressing table cut into 32 shards by the hash of the key. Four decisions:
//
// - Five slots and their values share a line of the cache, a bucket, and an entry is at home in a
//   bucket: a lookup reads one line, seldom the next as well.
// - A slot holds the hash itself, not the key: `mix` is a bijection, so nothing is lost, and the
//   home of an entry grows with its hash. Entries of a shard lie in ascending order with gaps
//   between them, so a miss ends at the first larger hash and full tables stay fast (load 0.875).
// - A shard grows by a quarter when it is full, alone: the table never exists twice, and 50 million
//   entries take less than 950 MB whichever way they arrive.
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
    if (hash == kFree) return last_;
    const Bucket* bucket = home(hash);
    size_t at = bucket->n_below(hash);
    while (at == Bucket::kSlots) at = (++bucket)->n_below(hash);  // the last one has a free slot
    // Without a branch, which would be guessed wrongly as often as not, and loads behind it be late.
    const uint32_t mask = -static_cast<uint32_t>(bucket->hashes[at] == hash);
    return std::bit_cast<float>(std::bit_cast<uint32_t>(bucket->values[at]) & mask);
  }
  bool contains(uint64_t key) const;
  // A `get` that follows well after this does not wait for memory.
  void prefetch(uint64_t key) const { __builtin_prefetch(home(mix(key))); }

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

  // The entries whose upper 16 bits are `wanted` (of 2^16), a small table where these are few.
  SparseTable part(const std::vector<bool>& wanted) const;

  // All entries, by ascending key. Takes 12 bytes an entry.
  std::pair<std::vector<uint64_t>, std::vector<float>> entries() const;

 private:
  static constexpr int kShift = 59;
  static constexpr size_t kShards = size_t{1} << (64 - kShift);
  static constexpr uint64_t kFree = ~0ULL;  // the one hash that is not stored: see `last_`

  struct alignas(64) Bucket {
    static constexpr size_t kSlots = 5;

    std::array<uint64_t, kSlots> hashes;  // ascending; free slots last
    std::array<float, kSlots> values;

    static Bucket empty() {
      Bucket bucket;
      bucket.hashes.fill(kFree);
      bucket.values.fill(0);
      return bucket;
    }
    // The slots before the first that holds this hash or a larger one. No branch to guess wrongly.
    size_t n_below(uint64_t hash) const {
      size_t n = 0;
      for (const uint64_t one : hashes) n += one < hash;
      return n;
    }
  };

  struct Shard {
    LargeVector<Bucket> buckets;  // ascending but for free slots; the last slot stays free
    uint64_t n_homes = 0;         // buckets in which an entry may be at home; some more follow them
    size_t size = 0;

    size_t home(uint64_t hash) const {
      __extension__ using Wide = unsigned __int128;
      return static_cast<size_t>(static_cast<Wide>(hash << (64 - kShift)) * n_homes >> 64);
    }
    // Slots by their number, across buckets.
    size_t n_slots() const { return buckets.size() * Bucket::kSlots; }
    uint64_t& hash_at(size_t at) { return buckets[at / Bucket::kSlots].hashes[at % Bucket::kSlots]; }
    float& value_at(size_t at) { return buckets[at / Bucket::kSlots].values[at % Bucket::kSlots]; }
    // Calls visit(hash, value) for every entry, by ascending hash.
    template <typename Visit>
    void for_each(Visit visit) const;
    // The first slot from the home on that holds this hash or a larger one.
    size_t find(uint64_t hash) const;
    // Adds free buckets at the end.
    void extend();
    // Empties the shard and gives it so many homes.
    void clear(uint64_t homes);
    // Appends an entry, the hash being larger than all before; `next` is the first slot after them.
    void append(uint64_t hash, float value, size_t& next);
    // The shard with so many homes and those of its entries that keep(hash, value).
    template <typename Keep>
    void rebuild(uint64_t homes, Keep keep);
    float& slot(uint64_t hash);
  };

  const Bucket* home(uint64_t hash) const {
    const Shard& shard = shards_[hash >> kShift];
    return shard.buckets.data() + shard.home(hash);
  }

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
