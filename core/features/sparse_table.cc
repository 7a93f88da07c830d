#include "features/sparse_table.h"

#include <algorithm>
#include <cmath>

#include "features/radix_sort.h"

namespace calque {
namespace {

constexpr size_t kAhead = 16;            // lookups under way at once
constexpr size_t kBlock = size_t{1} << 20;  // additions sorted by shard at once
constexpr uint64_t kFewest = 16;         // homes of a new shard
constexpr size_t kSpare = 16;            // slots after the homes, for entries pushed to the right

// The inverse of x ^= x >> shift.
uint64_t unshift(uint64_t x, int shift) {
  uint64_t result = x;
  for (int done = shift; done < 64; done += shift) result = x ^ (result >> shift);
  return result;
}

// The key with this hash: `mix` backwards. The factors are the inverses of its own modulo 2^64.
uint64_t unmix(uint64_t hash) {
  uint64_t x = unshift(hash, 31);
  x *= 0x319642b2d24d8ec3ULL;
  x = unshift(x, 27);
  x *= 0x96de1b173f119089ULL;
  return unshift(x, 30);
}

}  // namespace

SparseTable::SparseTable() : shards_(kShards) {
  for (Shard& shard : shards_) shard.clear(kFewest);
}

void SparseTable::Shard::clear(uint64_t homes) {
  n_homes = homes;
  size = 0;
  hashes = LargeVector<uint64_t>(homes + kSpare, kFree);
  values = LargeVector<float>(homes + kSpare, 0);
}

void SparseTable::Shard::append(uint64_t hash, float value, size_t& next) {
  next = std::max(next, home(hash));
  if (next + 1 >= hashes.size()) {
    const size_t larger = next + 1 + kSpare + next / 64;
    hashes.resize(larger, kFree);
    values.resize(larger, 0);
  }
  hashes[next] = hash;
  values[next] = value;
  ++next;
  ++size;
}

template <typename Keep>
void SparseTable::Shard::rebuild(uint64_t homes, Keep keep) {
  Shard fresh;
  fresh.clear(homes);
  size_t next = 0;
  for (size_t at = 0; at < hashes.size(); ++at) {
    if (hashes[at] != kFree && keep(hashes[at], values[at])) {
      fresh.append(hashes[at], values[at], next);
    }
  }
  *this = std::move(fresh);
}

float& SparseTable::Shard::slot(uint64_t hash) {
  size_t at = home(hash);
  while (hashes[at] < hash) ++at;
  if (hashes[at] == hash) return values[at];
  if (8 * (size + 1) > 7 * n_homes) {
    rebuild(n_homes + n_homes / 4, [](uint64_t, float) { return true; });
    for (at = home(hash); hashes[at] < hash;) ++at;
  }
  // The larger entries up to the next free slot move by one.
  size_t free = at;
  while (hashes[free] != kFree) ++free;
  if (free + 1 == hashes.size()) {
    hashes.resize(hashes.size() + kSpare + hashes.size() / 64, kFree);
    values.resize(hashes.size(), 0);
  }
  std::copy_backward(hashes.begin() + at, hashes.begin() + free, hashes.begin() + free + 1);
  std::copy_backward(values.begin() + at, values.begin() + free, values.begin() + free + 1);
  hashes[at] = hash;
  values[at] = 0;
  ++size;
  return values[at];
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
  for (const Shard& shard : shards_) {
    n += shard.hashes.capacity() * sizeof(uint64_t) + shard.values.capacity() * sizeof(float);
  }
  return n;
}

bool SparseTable::contains(uint64_t key) const {
  const uint64_t hash = mix(key);
  if (hash == kFree) return has_last_;
  const Shard& shard = shards_[hash >> kShift];
  size_t at = shard.home(hash);
  while (shard.hashes[at] < hash) ++at;
  return shard.hashes[at] == hash;
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

// Homes for an average load of 0.8, with room for shards that chance gives more than their share.
uint64_t SparseTable::homes_for(size_t n_entries) {
  const double share = static_cast<double>(n_entries) / kShards;
  return std::max(kFewest, static_cast<uint64_t>((share + 3 * std::sqrt(share)) / 0.8));
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
    const Shard& theirs = other.shards_[s];
    for (size_t at = 0; at < theirs.hashes.size(); ++at) {
      if (theirs.hashes[at] != kFree) {
        shards_[s].slot(theirs.hashes[at]) += scale * theirs.values[at];
      }
    }
  }
  if (other.has_last_) slot(kFree) += scale * other.last_;
}

void SparseTable::scale(float factor) {
  for (Shard& shard : shards_) {
    for (float& value : shard.values) value *= factor;
  }
  last_ *= factor;
}

template <typename Keep>
void SparseTable::prune(Keep keep) {
  for (Shard& shard : shards_) {
    size_t kept = 0;
    for (size_t at = 0; at < shard.hashes.size(); ++at) {
      kept += shard.hashes[at] != kFree && keep(shard.hashes[at], shard.values[at]);
    }
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

std::pair<std::vector<uint64_t>, std::vector<float>> SparseTable::entries() const {
  std::vector<uint64_t> keys;
  std::vector<float> values;
  keys.reserve(size());
  values.reserve(size());
  for (const Shard& shard : shards_) {
    for (size_t at = 0; at < shard.hashes.size(); ++at) {
      if (shard.hashes[at] == kFree) continue;
      keys.push_back(unmix(shard.hashes[at]));
      values.push_back(shard.values[at]);
    }
  }
  if (has_last_) {
    keys.push_back(unmix(kFree));
    values.push_back(last_);
  }
  radix_sort(std::span(keys), std::span(values));
  return {std::move(keys), std::move(values)};
}

}  // namespace calque
