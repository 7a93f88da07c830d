// A flat hash map from pairs of 32-bit numbers to positive integers.
#pragma once

#include <cstdint>
#include <vector>

#include "hash.h"

namespace calque {

// Open addressing, at most half full, one allocation. The value 0 means absent.
class PairMap {
 public:
  PairMap() : slots_(1024) {}

  int64_t find(uint32_t first, uint32_t second) const {
    return slots_[slot(key(first, second))].value;
  }
  // The value of the pair, 0 where it is new; the caller makes it positive before the next call.
  int64_t& operator()(uint32_t first, uint32_t second) {
    if (2 * (n_used_ + 1) > slots_.size()) grow();
    Slot& at = slots_[slot(key(first, second))];
    if (at.value == 0) {
      at.key = key(first, second);
      ++n_used_;
    }
    return at.value;
  }
  // Calls visit(first, second, value) for every pair, in no particular order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Slot& at : slots_) {
      if (at.value == 0) continue;
      visit(static_cast<uint32_t>(at.key >> 32), static_cast<uint32_t>(at.key), at.value);
    }
  }

 private:
  struct Slot {
    uint64_t key = 0;
    int64_t value = 0;
  };
  static uint64_t key(uint32_t first, uint32_t second) { return uint64_t{first} << 32 | second; }
  size_t slot(uint64_t wanted) const {
    const size_t mask = slots_.size() - 1;
    size_t at = mix(wanted) & mask;
    while (slots_[at].value != 0 && slots_[at].key != wanted) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& from : old) {
      if (from.value != 0) slots_[slot(from.key)] = from;
    }
  }
  std::vector<Slot> slots_;
  size_t n_used_ = 0;
};

}  // namespace calque
