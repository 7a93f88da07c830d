// Small open-addressing tables that live for one sentence and are cleared, not freed, after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hash.h"
#include "huge_pages.h"

namespace calque {

// Gives equal items the same dense id, in order of first appearance. Item needs operator== and
// `uint64_t hash() const`.
template <typename Item>
class Interner {
 public:
  int32_t intern(const Item& item) {
    if (2 * (items_.size() + 1) > slots_.size()) grow();
    size_t at = item.hash() & (slots_.size() - 1);
    while (slots_[at] >= 0) {
      if (items_[static_cast<size_t>(slots_[at])] == item) return slots_[at];
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = static_cast<int32_t>(items_.size());
    items_.push_back(item);
    return slots_[at];
  }

  // The id of an equal item, or -1.
  int32_t find(const Item& item) const {
    if (slots_.empty()) return -1;
    size_t at = item.hash() & (slots_.size() - 1);
    while (slots_[at] >= 0 && !(items_[static_cast<size_t>(slots_[at])] == item)) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return slots_[at];
  }

  const Item& operator[](int32_t id) const { return items_[static_cast<size_t>(id)]; }
  size_t size() const { return items_.size(); }

  void clear() {
    items_.clear();
    slots_.assign(slots_.size(), -1);
  }

 private:
  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, -1);
    for (size_t id = 0; id < items_.size(); ++id) {
      size_t at = items_[id].hash() & (slots_.size() - 1);
      while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<int32_t>(id);
    }
  }

  std::vector<Item> items_;
  std::vector<int32_t> slots_;
};

// Values by 64-bit key; `kNone` is not a key.
template <typename Value>
class KeyMap {
 public:
  static constexpr uint64_t kNone = ~0ULL;

  // The value of the key, or null. Valid until the next `insert`.
  const Value* find(uint64_t key) const {
    if (slots_.empty()) return nullptr;
    for (size_t at = mix(key) & (slots_.size() - 1); slots_[at].key != kNone;
         at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key) return &slots_[at].value;
    }
    return nullptr;
  }

  // Precondition: the key is absent.
  void insert(uint64_t key, const Value& value) {
    if (2 * (n_ + 1) > slots_.size()) grow();
    place({key, value});
    ++n_;
  }

  size_t size() const { return n_; }

  void clear() {
    if (n_ > 0) slots_.assign(slots_.size(), Slot{});
    n_ = 0;
  }

 private:
  struct Slot {
    uint64_t key = kNone;
    Value value{};
  };

  void place(const Slot& slot) {
    size_t at = mix(slot.key) & (slots_.size() - 1);
    while (slots_[at].key != kNone) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }

  void grow() {
    LargeVector<Slot> old(slots_.empty() ? 256 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.key != kNone) place(slot);
    }
  }

  LargeVector<Slot> slots_;
  size_t n_ = 0;
};

}  // namespace calque
