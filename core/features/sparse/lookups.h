// Weights asked for many at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/sparse/sparse_table.h"
#include "features/sparse/tag_line.h"

namespace calque {

// The weights lie in tables far larger than any cache: what costs time is the wait for memory. So
// everything that many lookups need is sent for before any of it is used. Not thread-safe.
class Lookups {
 public:
  // Keys whose tags share a line: `key` itself if `asked_for`, and `key` with each of `differences`
  // XORed into its lower 16 bits.
  struct Keys {
    uint64_t key;
    bool asked_for;
    std::span<const uint16_t> differences;
  };
  // Where weights are added: that of the key at `first`, those of the others at the same place, or
  // at the following ones.
  struct Sums {
    uint32_t first;
    bool follow;
  };

  void clear();
  // Asks for the weights of keys in the table that would hold them.
  void add(const TagTable& table, const Keys& keys, Sums sums) {
    const uint64_t hash = SparseTable::hash(keys.key);
    const TagLine* const line = table.line(hash);
    __builtin_prefetch(line);
    const auto n = static_cast<uint16_t>(keys.differences.size());
    asked_.push_back({&table, hash, sums.first, sums.follow});
    const auto tag = static_cast<uint16_t>(hash);
    queries_.push_back({line, keys.differences.data(), n, tag, keys.asked_for});
    n_keys_ += n + size_t{1};
  }
  // Adds the weights of everything asked for.
  void resolve(std::span<float> sums);

 private:
  struct Asked {
    const TagTable* table;
    uint64_t hash;
    uint32_t sum;
    bool follow;
  };
  struct Found {
    const TagTable::Entry* entry;
    uint64_t hash;
    uint32_t sum, asked;
  };
  const MatchTags match_ = tag_matchers().back().match;
  size_t n_keys_ = 0;
  std::vector<Asked> asked_;
  std::vector<TagQuery> queries_;
  std::vector<TagMatch> matches_;
  std::vector<Found> found_;
};

}  // namespace calque
