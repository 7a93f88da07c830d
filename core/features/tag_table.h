// Numbers by 48-bit hash, ten bytes a slot, laid out for lookups that mostly find nothing.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "huge_pages.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace calque {

// Open addressing in groups of 31 slots. Three decisions:
//
// - The last 16 bits of each hash, the tags of a group, fill one line of the cache. A lookup
//   compares all of them at once; only where one is equal does it read further, so that a miss
//   touches one line of an array that is a fifth of the table.
// - The first 32 bits of a hash lie beside its value. Together with the tag nothing is lost.
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
  size_t n_bytes() const {
    return groups_.capacity() * sizeof(Group) + entries_.capacity() * sizeof(Entry);
  }

  // The value of a hash, or null.
  const float* find(uint64_t hash) const {
    const size_t at = slot_of(hash);
    return at != kNone ? &entries_[at].value : nullptr;
  }
  // The same; where it is absent it becomes 0.
  float& slot(uint64_t hash);

  // A lookup in three steps, each of which should follow well after the one before: the first two
  // send for the memory that the next one reads. The candidate is null where there is none.
  void send_for_tags(uint64_t hash) const { __builtin_prefetch(&groups_[home(hash)]); }
  const Entry* candidate(uint64_t hash) const {
    const size_t at = home(hash);
    return candidate(hash, at, groups_[at].equal(tag(hash)));
  }
  // The same for two hashes that differ in their tags only.
  std::pair<const Entry*, const Entry*> candidates(uint64_t hash, uint64_t other) const {
    const size_t at = home(hash);
    const uint32_t equal = groups_[at].equal(tag(hash)), equal_other = groups_[at].equal(tag(other));
    return {candidate(hash, at, equal), candidate(other, at, equal_other)};
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
    for (size_t at = 0; at < groups_.size(); ++at) {
      for (size_t i = 0; i < groups_[at].size(); ++i) {
        const Entry& entry = entries_[at * Group::kSlots + i];
        visit(static_cast<uint64_t>(entry.rest) << 16 | groups_[at].tags[i], entry.value);
      }
    }
  }

 private:
  struct alignas(64) Group {
    static constexpr size_t kSlots = 31;
    static constexpr uint16_t kSentAway = 0x8000;

    std::array<uint16_t, kSlots> tags{};
    uint16_t state = 0;  // how many slots are used, and kSentAway

    size_t size() const { return state & 0xff; }
    bool has_sent_away() const { return (state & kSentAway) != 0; }
    // The slots with this tag, as bits. Free ones, which come last, have the tag 0.
    uint32_t equal(uint16_t tag) const {
      constexpr uint32_t kAll = (uint32_t{1} << kSlots) - 1;  // but for the state
#ifdef __SSE2__
      const __m128i wanted = _mm_set1_epi16(static_cast<short>(tag));
      const auto* lanes = reinterpret_cast<const __m128i*>(this);
      const auto at = [&](int i) { return _mm_cmpeq_epi16(_mm_load_si128(lanes + i), wanted); };
      const int low = _mm_movemask_epi8(_mm_packs_epi16(at(0), at(1)));
      const int high = _mm_movemask_epi8(_mm_packs_epi16(at(2), at(3)));
      return (static_cast<uint32_t>(high) << 16 | static_cast<uint32_t>(low)) & kAll;
#else
      uint32_t bits = 0;
      for (size_t i = 0; i < kSlots; ++i) bits |= static_cast<uint32_t>(tags[i] == tag) << i;
      return bits & kAll;
#endif
    }
  };

  static uint16_t tag(uint64_t hash) { return static_cast<uint16_t>(hash); }
  static uint32_t rest(uint64_t hash) { return static_cast<uint32_t>(hash >> 16); }
  size_t home(uint64_t hash) const {
    return static_cast<size_t>((rest(hash) << n_equal_bits_) * n_homes_ >> 32);
  }
  // The first of the slots of a group that have the tag.
  const Entry* candidate(uint64_t hash, size_t at, uint32_t equal) const {
    if ((equal == 0) & groups_[at].has_sent_away()) [[unlikely]] return candidate_after(at, hash);
    if (equal == 0) return nullptr;
    const Entry* entry = &entries_[at * Group::kSlots + static_cast<size_t>(std::countr_zero(equal))];
    __builtin_prefetch(entry);
    return entry;
  }

  static constexpr size_t kNone = ~size_t{0};
  size_t slot_of(uint64_t hash) const;
  const Entry* candidate_after(size_t home, uint64_t hash) const;
  void clear(uint64_t n_homes);
  void grow(uint64_t n_homes);
  // Adds an entry that is absent.
  float& place(uint64_t hash, float value);

  LargeVector<Group> groups_;  // the last one has room
  LargeVector<Entry> entries_;
  uint64_t n_homes_ = 0;       // groups in which an entry may be at home; some more follow them
  uint32_t size_ = 0;
  int32_t n_equal_bits_;
};
static_assert(sizeof(TagTable) == 64);  // a line of the cache

}  // namespace calque
