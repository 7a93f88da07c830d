#include "features/sparse/lookups.h"

namespace calque {

void Lookups::clear() {
  n_keys_ = 0;
  asked_.clear();
  queries_.clear();
}

void Lookups::resolve(std::span<float> sums) {
  matches_.resize(n_keys_ + 1);
  found_.clear();
  const size_t n_matches = match_(queries_, matches_.data());
  for (const auto& [i, which, slots] : std::span(matches_).first(n_matches)) {
    const Asked& asked = asked_[i];
    const TagQuery& query = queries_[i];
    const uint64_t hash = which == 0 ? asked.hash : asked.hash ^ query.differences[which - 1];
    const TagTable::Entry* const entry = asked.table->candidate(query.line, hash, slots);
    if (entry == nullptr) continue;
    __builtin_prefetch(entry);
    found_.push_back({entry, hash, asked.sum + asked.follow * which, i});
  }
  for (const auto& [entry, hash, sum, i] : found_) sums[sum] += asked_[i].table->value(entry, hash);
}

}  // namespace calque
