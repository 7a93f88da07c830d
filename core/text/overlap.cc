#include "text/overlap.h"

#include <algorithm>

#include "hash.h"

namespace calque {
namespace {

// The hash of a substring that goes on with one more word.
uint64_t extend(uint64_t hash, int32_t word) {
  return mix(hash * 0x9e3779b97f4a7c15ULL + static_cast<uint32_t>(word) + 1);
}

// The substrings of the test set, by hash, each with the number of kept sentences that have it.
class SubstringTable {
 public:
  struct Slot {
    uint64_t hash = 0;  // 0: free; no substring has this hash, or only one in 2^64
    int64_t n_kept = 0;
    int64_t last = -1;  // the last kept sentence that was counted
  };

  SubstringTable() : slots_(1024) {}

  void add(uint64_t hash) {
    Slot& slot = slots_[slot_of(hash)];
    if (slot.hash == hash) return;
    slot.hash = hash;
    if (2 * ++size_ > slots_.size()) grow();
  }

  // The slot of the substring, or null.
  Slot* find(uint64_t hash) {
    Slot& slot = slots_[slot_of(hash)];
    return slot.hash == hash ? &slot : nullptr;
  }

 private:
  size_t slot_of(uint64_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    while (slots_[at].hash != 0 && slots_[at].hash != hash) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.hash != 0) slots_[slot_of(slot.hash)] = slot;
    }
  }

  size_t size_ = 0;
  std::vector<Slot> slots_;
};

// Calls visit(hash) for the substrings that begin at each word, shorter ones first, and goes on to
// the next word as soon as it returns false.
template <typename Visit>
void for_substrings(std::span<const int32_t> sentence, int32_t max_words, Visit visit) {
  for (size_t begin = 0; begin < sentence.size(); ++begin) {
    const size_t end = begin + std::min<size_t>(max_words, sentence.size() - begin);
    uint64_t hash = 0;
    for (size_t i = begin; i < end; ++i) {
      hash = extend(hash, sentence[i]);
      if (!visit(hash)) break;
    }
  }
}

}  // namespace

std::vector<uint8_t> find_overlap(std::span<const int32_t> ids, std::span<const int64_t> offsets,
                                  std::span<const int32_t> test_ids,
                                  std::span<const int64_t> test_offsets,
                                  const OverlapOptions& options) {
  SubstringTable table;
  for (size_t i = 0; i + 1 < test_offsets.size(); ++i) {
    const auto sentence = test_ids.subspan(test_offsets[i], test_offsets[i + 1] - test_offsets[i]);
    for_substrings(sentence, options.max_words, [&](uint64_t hash) {
      table.add(hash);
      return true;
    });
  }
  std::vector<uint8_t> keep(offsets.size() - 1);
  std::vector<SubstringTable::Slot*> found;
  for (size_t i = 0; i < keep.size(); ++i) {
    found.clear();
    // A substring is in the table only if its beginnings are, so the first miss ends a position.
    for_substrings(ids.subspan(offsets[i], offsets[i + 1] - offsets[i]), options.max_words,
                   [&](uint64_t hash) {
                     if (auto* slot = table.find(hash)) return found.push_back(slot), true;
                     return false;
                   });
    keep[i] = std::any_of(found.begin(), found.end(), [&](const auto* slot) {
      return options.times == 0 || slot->n_kept < options.times;
    });
    if (!keep[i]) continue;
    for (auto* slot : found) {
      if (slot->last == static_cast<int64_t>(i)) continue;  // twice in this sentence
      slot->last = static_cast<int64_t>(i);
      ++slot->n_kept;
    }
  }
  return keep;
}

}  // namespace calque
