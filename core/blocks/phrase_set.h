// Distinct phrases and their indexes, dense from 0 in order of addition.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace calque {

class PhraseSet {
 public:
  PhraseSet() : offsets{0}, slots_(1024) {}

  // The index of the phrase, which is added if it is new.
  int64_t add(std::span<const int32_t> phrase);
  // The index of the phrase, or -1.
  int64_t find(std::span<const int32_t> phrase) const {
    return slots_[slot(phrase, hash(phrase))].index;
  }

  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
  std::span<const int32_t> operator[](int64_t i) const {
    return std::span(words).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  // The indexes in order of (length, word ids).
  std::vector<int64_t> sorted() const;

  std::vector<int32_t> words;
  std::vector<int64_t> offsets;

 private:
  struct Slot {
    int64_t index = -1;
    uint64_t hash = 0;
  };
  static uint64_t hash(std::span<const int32_t> phrase);
  size_t slot(std::span<const int32_t> phrase, uint64_t hash) const;
  void grow();
  std::vector<Slot> slots_;
};

}  // namespace calque
