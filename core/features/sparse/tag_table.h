// Numbers by 48-bit hash, ten bytes a slot, laid out for lookups that mostly find nothing.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "features/sparse/tag_line.h"
#include "huge_pages.h"

namespace calque {

// Open addressing in groups of 31 slots. Three decisions:
//
// - The last 16 bits of each hash, the tags of a group, fill one line of the cache. A lookup
//   compares all of them at once; only where one is equal does it read further, so that a miss
//   touches one line.
// - The first 32 bits of a hash lie beside its value, behind the tags. Nothing is lost, and where an
//   entry lies follows from its group.
// - A group so large is seldom full while the table has room: entries that must go to the next group
//   are few, and a group says whether it sent any away.
//
// The first 32 bits of hashes are expected to be spread evenly. They alone choose the group: hashes
// that differ in their tags only lie together, and a lookup of two of them waits once. Reading is
// safe from many threads. Oracle: tests/test_features_sparse.py (a dictionary).
class alignas(64) TagTable {
 public:
  static constexpr int kBits = 48;

  struct Entry {
    uint32_t rest;  // of the hash, without the tag
    float value;
  };

  // With room for so many entries, whose hashes agree in so many of their first bits.
  explicit TagTable(size_t n_entries = 0, int n_equal_bits = 0);

  size_t size() const { return size_; }
  size_t n_bytes() const { return groups_.capacity() * sizeof(Group); }

  // The value of a hash, or null.
  const float* find(uint64_t hash) const {
    const Entry* const entry = entry_of(hash);
    return entry != nullptr ? &entry->value : nullptr;
  }
  // The same; where it is absent it becomes 0.
  float& slot(uint64_t hash);

  // A lookup in three steps, each of which should follow well after memory was sent for: the line
  // that has the tag of a hash, if any has; the entry of those of its tags that are equal, which may
  // be that of another hash (null: there is none); and the value.
  const TagLine* line(uint64_t hash) const { return &groups_[home(hash)]; }
  const Entry* candidate(const TagLine* line, uint64_t hash, uint32_t matches) const {
    if (matches == TagLine::kAll + 1) [[unlikely]] return candidate_after(home(hash), hash);
    const auto i = static_cast<size_t>(std::countr_zero(matches));
    return &static_cast<const Group*>(line)->entries[i];
  }
  float value(const Entry* candidate, uint64_t hash) const {
    if (candidate->rest == rest(hash)) return candidate->value;  // 0 in a free slot
    const float* found = find(hash);  // the tag of another hash
    return found != nullptr ? *found : 0;
  }

  void reserve(size_t n_entries);
  void scale(float factor);
  // Calls visit(hash, value) for every entry.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Group& group : groups_) {
      for (size_t i = 0; i < group.size(); ++i) {
        const auto [rest, value] = group.entries[i];
        visit(static_cast<uint64_t>(rest) << 16 | group.tags[i], value);
      }
    }
  }

 private:
  // The state counts the slots that are used, and is marked where entries were sent away. Free slots,
  // which come last, have the tag 0.
  struct Group : TagLine {
    static constexpr size_t kSlots = kTags;

    std::array<Entry, kSlots> entries{};

    size_t size() const { return state & 0xff; }
    bool has_sent_away() const { return (state & kMark) != 0; }
    void send_away() { state |= kMark; }
  };

  static uint16_t tag(uint64_t hash) { return static_cast<uint16_t>(hash); }
  static uint32_t rest(uint64_t hash) { return static_cast<uint32_t>(hash >> 16); }
  size_t home(uint64_t hash) const {
    return static_cast<size_t>((rest(hash) << n_equal_bits_) * n_homes_ >> 32);
  }
  const Entry* entry_of(uint64_t hash) const;
  const Entry* candidate_after(size_t home, uint64_t hash) const;
  void clear(uint64_t n_homes);
  void grow(uint64_t n_homes);
  // Adds an entry that is absent.
  float& place(uint64_t hash, float value);

  LargeVector<Group> groups_;  // the last one has room
  uint64_t n_homes_ = 0;       // groups in which an entry may be at home; some more follow them
  uint32_t size_ = 0;
  int32_t n_equal_bits_;
};

}  // namespace calque
