// Weights asked for many at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/sparse_table.h"
#include "features/tag_line.h"

namespace calque {

// The weights lie in tables far larger than any cache: what costs time is the wait for memory. So
// everything that many lookups need is sent for before any of it is used. Not thread-safe.
class Lookups {
 public:
  void clear() {
    asked_.clear();
    queries_.clear();
  }
  size_t size() const { return asked_.size(); }

  // Asks for the weight of a key in the table that would hold it.
  void add(const TagTable& table, uint64_t key) { add(table, key, key); }
  // Asks for the sum of the weights of two keys that differ in their lower 16 bits, if they do.
  void add(const TagTable& table, uint64_t key, uint64_t other) {
    const uint64_t hash = SparseTable::hash(key);
    const TagLine* const line = table.line(hash);
    __builtin_prefetch(line);
    asked_.push_back({&table, hash});
    queries_.push_back({line, static_cast<uint16_t>(key), static_cast<uint16_t>(key ^ other)});
  }

  // Finds the weights of everything asked for.
  void resolve();
  std::span<const float> values() const { return values_; }
  // Of those from one place to another, in the order in which they were asked for.
  float sum(size_t from, size_t to) const {
    float sum = 0;
    for (size_t i = from; i < to; ++i) sum += values_[i];
    return sum;
  }

 private:
  struct Asked {
    const TagTable* table;
    uint64_t hash;
  };
  struct Found {
    const TagTable::Entry* entry;
    uint64_t hash;
    size_t asked;
  };
  const MatchTags match_ = tag_matchers().back().match;
  std::vector<Asked> asked_;
  std::vector<TagQuery> queries_;
  std::vector<TagMatches> matches_;
  std::vector<Found> found_;
  std::vector<float> values_;
};

}  // namespace calque
