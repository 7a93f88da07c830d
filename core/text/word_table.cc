#include "text/word_table.h"

#include <limits>

#include "error.h"

namespace calque {

WordTable::WordTable() : offsets_{0}, slots_(1024) {}

size_t WordTable::slot_of(std::string_view word, uint64_t hash) const {
  const auto tag = static_cast<uint32_t>(hash >> 32);
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].id >= 0 && (slots_[at].tag != tag || this->word(slots_[at].id) != word)) {
    at = (at + 1) & mask;
  }
  return at;
}

int32_t WordTable::add(std::string_view word, uint64_t hash) {
  const size_t at = slot_of(word, hash);
  if (slots_[at].id >= 0) return slots_[at].id;
  if (size() == std::numeric_limits<int32_t>::max()) throw Error("more than 2^31 - 1 distinct words");
  const int32_t id = size();
  arena_.append(word);
  offsets_.push_back(static_cast<int64_t>(arena_.size()));
  slots_[at] = {id, static_cast<uint32_t>(hash >> 32)};
  if (2 * offsets_.size() > slots_.size()) grow();
  return id;
}

void WordTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id < 0) continue;
    size_t at = hash_bytes(word(slot.id)) & mask;
    while (slots_[at].id >= 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace calque
