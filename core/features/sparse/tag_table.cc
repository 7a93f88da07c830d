#include "features/sparse/tag_table.h"

#include <algorithm>
#include <cmath>

namespace calque {
namespace {

constexpr double kLoad = 0.6;       // of a table whose size is known
constexpr double kMostLoad = 0.8;  // of one that grows

}  // namespace

TagTable::TagTable(size_t n_entries, int n_equal_bits) : n_equal_bits_(n_equal_bits) {
  clear(1);
  reserve(n_entries);
}

void TagTable::clear(uint64_t n_homes) {
  n_homes_ = n_homes;
  size_ = 0;
  groups_ = LargeVector<Group>(n_homes + 1);
}

const TagTable::Entry* TagTable::entry_of(uint64_t hash) const {
  for (size_t at = home(hash);; ++at) {
    const Group& group = groups_[at];
    for (uint32_t equal = group.equal(tag(hash)); equal != 0; equal &= equal - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(equal));
      if (i < group.size() && group.entries[i].rest == rest(hash)) return &group.entries[i];
    }
    if (!group.has_sent_away()) return nullptr;
  }
}

const TagTable::Entry* TagTable::candidate_after(size_t home, uint64_t hash) const {
  for (size_t at = home + 1;; ++at) {
    if (const uint32_t equal = groups_[at].equal(tag(hash))) {
      return &groups_[at].entries[static_cast<size_t>(std::countr_zero(equal))];
    }
    if (!groups_[at].has_sent_away()) return nullptr;
  }
}

float& TagTable::slot(uint64_t hash) {
  if (const Entry* const entry = entry_of(hash)) return const_cast<Entry*>(entry)->value;
  const auto n_slots = static_cast<double>(n_homes_ * Group::kSlots);
  if (size_ + 1 > kMostLoad * n_slots) grow(n_homes_ + n_homes_ / 4 + 1);
  return place(hash, 0);
}

float& TagTable::place(uint64_t hash, float value) {
  size_t at = home(hash);
  for (; groups_[at].size() == Group::kSlots; ++at) groups_[at].send_away();
  const size_t i = groups_[at].size();
  groups_[at].tags[i] = tag(hash);
  ++groups_[at].state;
  groups_[at].entries[i] = {rest(hash), value};
  ++size_;
  if (at + 1 == groups_.size() && i + 1 == Group::kSlots) {
    groups_.reserve(groups_.size() + 1);  // one group more, not twice as many
    groups_.emplace_back();
  }
  return groups_[at].entries[i].value;
}

void TagTable::grow(uint64_t n_homes) {
  TagTable larger(0, n_equal_bits_);
  larger.clear(n_homes);
  for_each([&](uint64_t hash, float value) { larger.place(hash, value); });
  *this = std::move(larger);
}

void TagTable::reserve(size_t n_entries) {
  const double groups = static_cast<double>(n_entries) / (kLoad * Group::kSlots);
  const auto n_homes = static_cast<uint64_t>(std::ceil(groups));
  if (n_homes > n_homes_) grow(n_homes);
}

void TagTable::scale(float factor) {
  for (Group& group : groups_) {
    for (Entry& entry : group.entries) entry.value *= factor;
  }
}

}  // namespace calque
