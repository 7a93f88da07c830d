#include "features/sparse/sparse_table.h"

#include <algorithm>
#include <cmath>

#include "features/sparse/lookups.h"
#include "features/sparse/radix_sort.h"
#include "parallel.h"

namespace calque {
namespace {

constexpr size_t kMostEntries = size_t{1} << 20;  // of a table before it becomes two
constexpr size_t kBatch = 256;                    // lookups under way at once
constexpr size_t kBlock = size_t{1} << 20;        // changes sorted by part at once

}  // namespace

float& SparseTable::Part::slot(uint64_t hash) {
  if (table(hash).size() >= kMostEntries && shift_ > 16) split();
  return tables_[hash >> shift_].slot(hash);
}

// Every table becomes two, one after the other.
void SparseTable::Part::split() {
  const int n_equal_bits = TagTable::kBits - --shift_;
  std::vector<TagTable> halves;
  for (TagTable& table : tables_) {
    const size_t half = table.size() / 2 + table.size() / 64;
    const size_t first = halves.size();
    for (int i = 0; i < 2; ++i) halves.emplace_back(half, n_equal_bits);
    table.for_each([&](uint64_t hash, float value) {
      halves[first + (hash >> shift_ & 1)].slot(hash) = value;
    });
    table = TagTable();
  }
  tables_ = std::move(halves);
}

size_t SparseTable::Part::size() const {
  size_t n = 0;
  for (const TagTable& table : tables_) n += table.size();
  return n;
}

size_t SparseTable::Part::n_bytes() const {
  size_t n = 0;
  for (const TagTable& table : tables_) n += table.n_bytes();
  return n;
}

void SparseTable::Part::reserve(size_t n_entries) {
  while (n_entries / tables_.size() >= kMostEntries && shift_ > 16) split();
  for (TagTable& table : tables_) table.reserve(n_entries / tables_.size());
}

void SparseTable::Part::scale(float factor) {
  for (TagTable& table : tables_) table.scale(factor);
}

size_t SparseTable::size() const {
  size_t n = 0;
  for (const Part& part : parts_) n += part.size();
  return n;
}

size_t SparseTable::n_bytes() const {
  size_t n = 0;
  for (const Part& part : parts_) n += part.n_bytes();
  return n;
}

const float* SparseTable::find(uint64_t key) const {
  const Part* const part = this->part(key);
  return part != nullptr ? part->table(key).find(hash(key)) : nullptr;
}

SparseTable::Part& SparseTable::make_part(uint64_t key) {
  auto& page = pages_[key >> 56];
  if (page.empty()) page.assign(256, -1);
  int32_t& at = page[key >> 48 & 0xff];
  if (at < 0) {
    at = static_cast<int32_t>(parts_.size());
    parts_.emplace_back();
    uppers_.push_back(key & ~kLower);
  }
  return parts_[static_cast<size_t>(at)];
}

void SparseTable::get(std::span<const uint64_t> keys, std::span<float> values) const {
  Lookups lookups;
  std::ranges::fill(values, 0.0f);
  for (size_t begin = 0; begin < keys.size(); begin += kBatch) {
    const size_t n = std::min(kBatch, keys.size() - begin);
    lookups.clear();
    for (size_t i = 0; i < n; ++i) {
      const uint64_t key = keys[begin + i];
      if (const Part* const part = this->part(key)) {
        lookups.add(part->table(key), {key, true, {}}, {static_cast<uint32_t>(i), false});
      }
    }
    lookups.resolve(values.subspan(begin, n));
  }
}

// Block by block, part by part: one part fits into the cache, or nearly so; all of them do not.
template <typename Apply>
void SparseTable::apply(std::span<const uint64_t> keys, std::span<const float> values,
                        int n_threads, Apply apply) {
  std::vector<std::pair<uint64_t, float>> sorted(std::min(keys.size(), kBlock));
  for (size_t begin = 0; begin < keys.size(); begin += kBlock) {
    const auto block = keys.subspan(begin, std::min(kBlock, keys.size() - begin));
    for (const uint64_t key : block) make_part(key);
    std::vector<size_t> starts(parts_.size() + 1, 0);
    for (const uint64_t key : block) ++starts[static_cast<size_t>(index(key)) + 1];
    for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    for (size_t i = 0; i < block.size(); ++i) {
      sorted[starts[static_cast<size_t>(index(block[i]))]++] = {block[i], values[begin + i]};
    }
    // `starts` are ends by now. Each part is the work of one thread.
    for_chunks(parts_.size(), 1, n_threads, [&] {
      return [&](size_t at, size_t) {
        for (size_t i = at > 0 ? starts[at - 1] : 0; i < starts[at]; ++i) {
          apply(parts_[at].slot(hash(sorted[i].first)), sorted[i].second);
        }
      };
    });
  }
}

void SparseTable::set(std::span<const uint64_t> keys, std::span<const float> values,
                      int n_threads) {
  apply(keys, values, n_threads, [](float& slot, float value) { slot = value; });
}

void SparseTable::add(std::span<const uint64_t> keys, std::span<const float> deltas) {
  apply(keys, deltas, 1, [](float& slot, float delta) { slot += delta; });
}

void SparseTable::reserve(std::span<const uint64_t> keys) {
  for (const uint64_t key : keys) make_part(key);
  std::vector<size_t> sizes(parts_.size());
  for (const uint64_t key : keys) ++sizes[static_cast<size_t>(index(key))];
  for (size_t i = 0; i < sizes.size(); ++i) parts_[i].reserve(parts_[i].size() + sizes[i]);
}

template <typename Visit>
void SparseTable::for_each(Visit visit) const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].for_each([&](uint64_t hash, float value) {
      visit(uppers_[i] | hash, value);
    });
  }
}

void SparseTable::merge(const SparseTable& other, float scale) {
  if (&other == this) return this->scale(1 + scale);
  for (size_t i = 0; i < other.parts_.size(); ++i) {
    Part& mine = make_part(other.uppers_[i]);
    other.parts_[i].for_each(
        [&](uint64_t hash, float value) { mine.slot(hash) += scale * value; });
  }
}

void SparseTable::scale(float factor) {
  for (Part& part : parts_) part.scale(factor);
}

template <typename Keep>
void SparseTable::prune(Keep keep) {
  for (size_t i = 0; i < parts_.size(); ++i) {
    const auto keeps = [&](uint64_t hash, float value) {
      return keep(uppers_[i] | hash, value);
    };
    size_t n_kept = 0;
    parts_[i].for_each([&](uint64_t hash, float value) { n_kept += keeps(hash, value); });
    Part kept;
    kept.reserve(n_kept);
    parts_[i].for_each([&](uint64_t hash, float value) {
      if (keeps(hash, value)) kept.slot(hash) = value;
    });
    parts_[i] = std::move(kept);
  }
}

void SparseTable::prune_magnitude(float least) {
  prune([least](uint64_t, float value) { return std::abs(value) >= least; });
}

void SparseTable::prune_count(const SparseTable& counts, float least) {
  prune([&counts, least](uint64_t key, float) { return counts.get(key) >= least; });
}

std::pair<std::vector<uint64_t>, std::vector<float>> SparseTable::entries() const {
  std::vector<uint64_t> keys;
  std::vector<float> values;
  keys.reserve(size());
  values.reserve(size());
  for_each([&](uint64_t key, float value) {
    keys.push_back(key);
    values.push_back(value);
  });
  radix_sort(std::span(keys), std::span(values));
  return {std::move(keys), std::move(values)};
}

}  // namespace calque
