// Sums that are remembered for as long as there is room.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "huge_pages.h"

namespace calque {

// What is known of a key: a sum, that one was promised, or nothing.
enum class Recalled : uint8_t { kSum, kPromised, kNew };

// Five sums share a line of the cache. It grows up to a limit; then a new sum takes the place of the
// oldest one of its line. A sum may be promised first and given later.
class SumCache {
 public:
  // At most so many lines, a power of 2.
  explicit SumCache(size_t most_lines) : most_lines_(most_lines), lines_(kFewestLines) {}

  // Makes room. Precondition: every promise is kept.
  void grow_if_full() {
    while (n_inserted_ >= 3 * lines_.size() && lines_.size() < most_lines_) grow();
  }

  struct Known {
    Recalled state;
    uint32_t bits;  // of the sum, or the ticket of the promise
    uint32_t place;

    float sum() const { return std::bit_cast<float>(bits); }
  };

  // A `recall` that follows well after this does not wait for memory.
  void prefetch(uint64_t key) const { __builtin_prefetch(&lines_[at(key)]); }
  // Where the key is new, it is promised with this ticket. Keys are hashes: none of them is 0.
  Known recall(uint64_t key, uint32_t ticket) {
    const size_t where = at(key);
    Line& line = lines_[where];
    size_t i = line.find(key);
    const Recalled state = i == kSums               ? Recalled::kNew
                           : line.promised >> i & 1 ? Recalled::kPromised
                                                    : Recalled::kSum;
    if (state == Recalled::kNew) {
      i = line.put(key, ticket, true);
      ++n_inserted_;
    }
    return {state, line.bits[i], static_cast<uint32_t>(where * kPlaces + i)};
  }
  // Gives the sum that was promised at a place; if another promise took the place, it is lost.
  void keep(uint32_t place, uint64_t key, float sum) {
    Line& line = lines_[place / kPlaces];
    const size_t i = place % kPlaces;
    if (line.keys[i] != key) return;
    line.bits[i] = std::bit_cast<uint32_t>(sum);
    line.promised &= static_cast<uint16_t>(~(1u << i));
  }

 private:
  static constexpr size_t kSums = 5;    // of a line
  static constexpr size_t kPlaces = 8;  // of which they take the first
  static constexpr size_t kFewestLines = 256;

  struct alignas(64) Line {
    std::array<uint64_t, kSums> keys{};
    std::array<uint32_t, kSums> bits{};
    uint16_t next = 0;      // the oldest
    uint16_t promised = 0;  // a bit each

    // kSums where it is absent. No branch to guess wrongly.
    size_t find(uint64_t key) const {
      size_t found = kSums;
      for (size_t i = 0; i < kSums; ++i) found = keys[i] == key ? i : found;
      return found;
    }
    // Where it is put.
    size_t put(uint64_t key, uint32_t value, bool is_promise) {
      const size_t i = next;
      keys[i] = key;
      bits[i] = value;
      promised = static_cast<uint16_t>((promised & ~(1u << i)) | uint32_t{is_promise} << i);
      next = static_cast<uint16_t>((i + 1) % kSums);
      return i;
    }
  };

  size_t at(uint64_t key) const { return key & (lines_.size() - 1); }
  void grow() {
    LargeVector<Line> old(std::min(4 * lines_.size(), most_lines_));
    old.swap(lines_);
    for (const Line& line : old) {
      for (size_t i = 0; i < kSums; ++i) {
        if (line.keys[i] != 0) lines_[at(line.keys[i])].put(line.keys[i], line.bits[i], false);
      }
    }
  }

  size_t most_lines_;
  size_t n_inserted_ = 0;
  LargeVector<Line> lines_;
};

// The same for rows of six sums, two to a line. A new row takes the place of either when both are
// taken.
class RowCache {
 public:
  static constexpr size_t kSums = 6;
  using Row = std::array<float, kSums>;

  explicit RowCache(size_t most_lines) : most_lines_(most_lines), lines_(kFewestLines) {}

  void grow_if_full() {
    while (n_inserted_ >= lines_.size() && lines_.size() < most_lines_) grow();
  }

  struct Known {
    Recalled state;
    const Row& sums;
    uint32_t place;

    uint32_t ticket() const { return std::bit_cast<uint32_t>(sums[0]); }  // of a promise
  };
  void prefetch(uint64_t key) const { __builtin_prefetch(&lines_[at(key)]); }
  Known recall(uint64_t key, uint32_t ticket) {
    const size_t where = at(key);
    Line& line = lines_[where];
    size_t i = line[1].is(key) ? 1 : 0;
    Recalled state = line[i].is_promised() ? Recalled::kPromised : Recalled::kSum;
    if (!line[i].is(key)) {
      i = line.free_or_any(key);
      line[i].key = key | kPromised;
      line[i].sums[0] = std::bit_cast<float>(ticket);
      ++n_inserted_;
      state = Recalled::kNew;
    }
    return {state, line[i].sums, static_cast<uint32_t>(2 * where + i)};
  }
  void keep(uint32_t place, uint64_t key, const Row& sums) {
    Entry& entry = lines_[place / 2][place % 2];
    if (entry.is(key)) entry = {key & ~kPromised, sums};
  }

 private:
  static constexpr size_t kFewestLines = 256;
  static constexpr uint64_t kPromised = 1;  // takes a bit of the key

  struct Entry {
    uint64_t key = 0;
    Row sums{};

    bool is(uint64_t other) const { return (key | kPromised) == (other | kPromised); }
    bool is_promised() const { return (key & kPromised) != 0; }
  };
  struct alignas(64) Line {
    std::array<Entry, 2> entries;

    Entry& operator[](size_t i) { return entries[i]; }
    const Entry& operator[](size_t i) const { return entries[i]; }
    size_t free_or_any(uint64_t key) const {
      if (entries[0].key == 0) return 0;
      return entries[1].key == 0 ? 1 : key >> 63;
    }
  };

  size_t at(uint64_t key) const { return key >> 1 & (lines_.size() - 1); }
  void grow() {
    LargeVector<Line> old(std::min(4 * lines_.size(), most_lines_));
    old.swap(lines_);
    for (const Line& line : old) {
      for (const Entry& entry : line.entries) {
        if (entry.key == 0) continue;
        Line& to = lines_[at(entry.key)];
        to[to.free_or_any(entry.key)] = entry;
      }
    }
  }

  size_t most_lines_;
  size_t n_inserted_ = 0;
  LargeVector<Line> lines_;
};

}  // namespace calque
