// Weights asked for many at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/sparse_table.h"

namespace calque {

// The weights lie in tables far larger than any cache: what costs time is the wait for memory. So
// everything that many lookups need is sent for before any of it is used. Not thread-safe.
class Lookups {
 public:
  void clear() { asked_.clear(); }
  size_t size() const { return asked_.size(); }

  // Asks for the weight of a key in the table that would hold it.
  void add(const TagTable& table, uint64_t key) {
    table.send_for_tags(SparseTable::hash(key));
    asked_.push_back({&table, SparseTable::hash(key), 0});
  }
  // Asks for the sum of the weights of two keys that differ in their lower 16 bits.
  void add(const TagTable& table, uint64_t key, uint64_t other) {
    table.send_for_tags(SparseTable::hash(key));
    asked_.push_back({&table, SparseTable::hash(key), key ^ other});
  }
  // Asks for nothing: the answer is 0.
  void add_zero() { asked_.push_back({nullptr, 0, 0}); }

  // Finds the weights of everything asked for.
  void resolve() {
    values_.assign(asked_.size(), 0);
    found_.resize(2 * asked_.size());
    size_t n_found = 0;
    // Whether there is a candidate is as good as random: noting it takes no branch.
    const auto note = [&](size_t i, uint64_t hash, const TagTable::Entry* entry) {
      found_[n_found] = {entry, hash, i};
      n_found += entry != nullptr;
    };
    for (size_t i = 0; i < asked_.size(); ++i) {
      const auto [table, hash, difference] = asked_[i];
      if (table == nullptr) continue;
      if (difference == 0) {
        note(i, hash, table->candidate(hash));
      } else {
        const auto [one, other] = table->candidates(hash, hash ^ difference);
        note(i, hash, one);
        note(i, hash ^ difference, other);
      }
    }
    for (const auto& [entry, hash, i] : std::span(found_).first(n_found)) {
      values_[i] += asked_[i].table->value(entry, hash);
    }
  }
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
    uint64_t hash, difference;  // to the hash of the other one; 0: there is none
  };
  struct Found {
    const TagTable::Entry* entry;
    uint64_t hash;
    size_t asked;
  };
  std::vector<Asked> asked_;
  std::vector<Found> found_;
  std::vector<float> values_;
};

}  // namespace calque
