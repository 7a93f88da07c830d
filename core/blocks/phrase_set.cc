#include "blocks/phrase_set.h"

#include <algorithm>
#include <numeric>

#include "blocks/block_table.h"

namespace calque {

uint64_t PhraseSet::hash(std::span<const int32_t> phrase) {
  uint64_t hash = kEmptyPhraseHash;
  for (const int32_t word : phrase) hash = extend_hash(hash, word);
  return hash;
}

size_t PhraseSet::slot(std::span<const int32_t> phrase, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at].index >= 0; at = (at + 1) & mask) {
    if (slots_[at].hash != hash) continue;
    const auto found = (*this)[slots_[at].index];
    if (std::equal(found.begin(), found.end(), phrase.begin(), phrase.end())) break;
  }
  return at;
}

int64_t PhraseSet::add(std::span<const int32_t> phrase) {
  if (2 * offsets.size() > slots_.size()) grow();
  const uint64_t hash = PhraseSet::hash(phrase);
  Slot& at = slots_[slot(phrase, hash)];
  if (at.index >= 0) return at.index;
  at = {size(), hash};
  words.insert(words.end(), phrase.begin(), phrase.end());
  offsets.push_back(static_cast<int64_t>(words.size()));
  return at.index;
}

void PhraseSet::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& from : old) {
    if (from.index < 0) continue;
    size_t at = from.hash & mask;
    while (slots_[at].index >= 0) at = (at + 1) & mask;
    slots_[at] = from;
  }
}

std::vector<int64_t> PhraseSet::sorted() const {
  // Length and first two words decide most comparisons without a look at the phrases.
  struct Key {
    uint64_t head;
    uint32_t second;
    int64_t index;
  };
  std::vector<Key> keys;
  keys.reserve(static_cast<size_t>(size()));
  for (int64_t i = 0; i < size(); ++i) {
    const auto phrase = (*this)[i];
    keys.push_back({phrase.size() << 32 | static_cast<uint32_t>(phrase[0]),
                    phrase.size() > 1 ? static_cast<uint32_t>(phrase[1]) : 0, i});
  }
  std::sort(keys.begin(), keys.end(), [this](const Key& a, const Key& b) {
    if (a.head != b.head) return a.head < b.head;
    if (a.second != b.second) return a.second < b.second;
    const auto left = (*this)[a.index], right = (*this)[b.index];
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
  std::vector<int64_t> order;
  order.reserve(keys.size());
  for (const Key& key : keys) order.push_back(key.index);
  return order;
}

}  // namespace calque
