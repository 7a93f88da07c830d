#include "features/sparse_table.h"

#include <algorithm>
#include <cmath>

#include "features/radix_sort.h"

namespace calque {
namespace {

constexpr size_t kAhead = 16;            // lookups under way at once
constexpr size_t kBlock = size_t{1} << 20;  // additions sorted by shard at once
constexpr uint64_t kFewest = 4;          // homes of a new shard
constexpr size_t kSpare = 4;             // buckets after the homes, for entries pushed to the right
constexpr double kLoad = 0.8;            // of a table whose size is known

// The inverse of x ^= x >> shift. Precondition: shift >= 22.
uint64_t unshift(uint64_t x, int shift) { return x ^ (x >> shift) ^ (x >> 2 * shift); }

// The key with this hash but for the last step, which leaves the upper 30 bits alone: `mix`
// backwards. The factors are the inverses of its own modulo 2^64.
uint64_t nearly_unmix(uint64_t hash) {
  const uint64_t x = unshift(hash, 31) * 0x319642b2d24d8ec3ULL;
  return unshift(x, 27) * 0x96de1b173f119089ULL;
}

uint64_t unmix(uint64_t hash) { return unshift(nearly_unmix(hash), 30); }

}  // namespace

SparseTable::SparseTable() : shards_(kShards) {
  for (Shard& shard : shards_) shard.clear(kFewest);
}

void SparseTable::Shard::clear(uint64_t homes) {
  n_homes = homes;
  size = 0;
  buckets.assign(homes + kSpare, Bucket::empty());
}

void SparseTable::Shard::extend() {
  const size_t larger = buckets.size() + kSpare + buckets.size() / 64;
  buckets.reserve(larger);  // or else it would double
  buckets.resize(larger, Bucket::empty());
}

template <typename Visit>
void SparseTable::Shard::for_each(Visit visit) const {
  for (const Bucket& bucket : buckets) {
    for (size_t i = 0; i < Bucket::kSlots && bucket.hashes[i] != kFree; ++i) {
      visit(bucket.hashes[i], bucket.values[i]);
    }
  }
}

size_t SparseTable::Shard::find(uint64_t hash) const {
  for (size_t at = home(hash);; ++at) {
    const size_t below = buckets[at].n_below(hash);
    if (below < Bucket::kSlots) return at * Bucket::kSlots + below;
  }
}

void SparseTable::Shard::append(uint64_t hash, float value, size_t& next) {
  next = std::max(next, home(hash) * Bucket::kSlots);
  if (next + 1 >= n_slots()) extend();
  hash_at(next) = hash;
  value_at(next) = value;
  ++next;
  ++size;
}

template <typename Keep>
void SparseTable::Shard::rebuild(uint64_t homes, Keep keep) {
  Shard fresh;
  fresh.clear(homes);
  size_t next = 0;
  for_each([&](uint64_t hash, float value) {
    if (keep(hash, value)) fresh.append(hash, value, next);
  });
  *this = std::move(fresh);
}

float& SparseTable::Shard::slot(uint64_t hash) {
  size_t at = find(hash);
  if (hash_at(at) == hash) return value_at(at);
  if (8 * (size + 1) > 7 * n_homes * Bucket::kSlots) {
    rebuild(n_homes + n_homes / 4, [](uint64_t, float) { return true; });
    at = find(hash);
  }
  // The larger entries up to the next free slot move by one.
  size_t free = at;
  while (hash_at(free) != kFree) ++free;
  if (free + 1 == n_slots()) extend();
  for (; free > at; --free) {
    hash_at(free) = hash_at(free - 1);
    value_at(free) = value_at(free - 1);
  }
  hash_at(at) = hash;
  value_at(at) = 0;
  ++size;
  return value_at(at);
}

float& SparseTable::slot(uint64_t hash) {
  if (hash == kFree) {
    has_last_ = true;
    return last_;
  }
  return shards_[hash >> kShift].slot(hash);
}

size_t SparseTable::size() const {
  size_t n = has_last_ ? 1 : 0;
  for (const Shard& shard : shards_) n += shard.size;
  return n;
}

size_t SparseTable::n_bytes() const {
  size_t n = 0;
  for (const Shard& shard : shards_) n += shard.buckets.capacity() * sizeof(Bucket);
  return n;
}

bool SparseTable::contains(uint64_t key) const {
  const uint64_t hash = mix(key);
  if (hash == kFree) return has_last_;
  const Shard& shard = shards_[hash >> kShift];
  const size_t at = shard.find(hash);
  return shard.buckets[at / Bucket::kSlots].hashes[at % Bucket::kSlots] == hash;
}

void SparseTable::get(std::span<const uint64_t> keys, std::span<float> values) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) prefetch(keys[i + kAhead]);
    values[i] = get(keys[i]);
  }
}

// Block by block, shard by shard: the slots of one shard fit into the cache, those of all do not.
template <typename Apply>
void SparseTable::apply(std::span<const uint64_t> keys, std::span<const float> values,
                        Apply apply) {
  std::vector<std::pair<uint64_t, float>> sorted(std::min(keys.size(), kBlock));
  for (size_t begin = 0; begin < keys.size(); begin += kBlock) {
    const size_t end = std::min(keys.size(), begin + kBlock);
    std::vector<size_t> starts(kShards + 1, 0);
    for (size_t i = begin; i < end; ++i) ++starts[(mix(keys[i]) >> kShift) + 1];
    for (size_t s = 0; s < kShards; ++s) starts[s + 1] += starts[s];
    for (size_t i = begin; i < end; ++i) {
      const uint64_t hash = mix(keys[i]);
      sorted[starts[hash >> kShift]++] = {hash, values[i]};
    }
    for (size_t i = 0; i < end - begin; ++i) apply(slot(sorted[i].first), sorted[i].second);
  }
}

void SparseTable::set(std::span<const uint64_t> keys, std::span<const float> values) {
  apply(keys, values, [](float& slot, float value) { slot = value; });
}

void SparseTable::add(std::span<const uint64_t> keys, std::span<const float> deltas) {
  apply(keys, deltas, [](float& slot, float delta) { slot += delta; });
}

// Homes for an average load of `kLoad`, with room for shards that chance gives more than their share.
uint64_t SparseTable::homes_for(size_t n_entries) {
  const double share = static_cast<double>(n_entries) / kShards;
  return std::max(kFewest, static_cast<uint64_t>((share + 3 * std::sqrt(share)) / kLoad / Bucket::kSlots));
}

void SparseTable::reserve(size_t n_entries) {
  const uint64_t homes = homes_for(n_entries);
  for (Shard& shard : shards_) {
    if (shard.n_homes < homes) shard.rebuild(homes, [](uint64_t, float) { return true; });
  }
}

void SparseTable::merge(const SparseTable& other, float scale) {
  if (&other == this) return this->scale(1 + scale);
  for (size_t s = 0; s < kShards; ++s) {
    other.shards_[s].for_each(
        [&](uint64_t hash, float value) { shards_[s].slot(hash) += scale * value; });
  }
  if (other.has_last_) slot(kFree) += scale * other.last_;
}

void SparseTable::scale(float factor) {
  for (Shard& shard : shards_) {
    for (Bucket& bucket : shard.buckets) {
      for (float& value : bucket.values) value *= factor;
    }
  }
  last_ *= factor;
}

template <typename Keep>
void SparseTable::prune(Keep keep) {
  for (Shard& shard : shards_) {
    size_t kept = 0;
    shard.for_each([&](uint64_t hash, float value) { kept += keep(hash, value); });
    shard.rebuild(homes_for(kept * kShards), keep);
  }
  if (has_last_ && !keep(kFree, last_)) {
    has_last_ = false;
    last_ = 0;
  }
}

void SparseTable::prune_magnitude(float least) {
  prune([least](uint64_t, float value) { return std::abs(value) >= least; });
}

void SparseTable::prune_count(const SparseTable& counts, float least) {
  prune([&counts, least](uint64_t hash, float) { return counts.get(unmix(hash)) >= least; });
}

SparseTable SparseTable::part(const std::vector<bool>& wanted) const {
  SparseTable result;
  const auto is_wanted = [&](uint64_t hash) { return wanted[nearly_unmix(hash) >> 48]; };
  for (size_t s = 0; s < kShards; ++s) {
    shards_[s].for_each([&](uint64_t hash, float value) {
      if (is_wanted(hash)) result.shards_[s].slot(hash) = value;
    });
  }
  if (has_last_ && is_wanted(kFree)) result.slot(kFree) = last_;
  return result;
}

std::pair<std::vector<uint64_t>, std::vector<float>> SparseTable::entries() const {
  std::vector<uint64_t> keys;
  std::vector<float> values;
  keys.reserve(size());
  values.reserve(size());
  for (const Shard& shard : shards_) {
    shard.for_each([&](uint64_t hash, float value) {
      keys.push_back(unmix(hash));
      values.push_back(value);
    });
  }
  if (has_last_) {
    keys.push_back(unmix(kFree));
    values.push_back(last_);
  }
  radix_sort(std::span(keys), std::span(values));
  return {std::move(keys), std::move(values)};
}

}  // namespace calque
