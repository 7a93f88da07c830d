#include "features/lookups.h"

namespace calque {

void Lookups::resolve() {
  matches_.resize(queries_.size());
  match_(queries_, matches_);
  found_.resize(2 * asked_.size());
  size_t n_found = 0;
  static constexpr TagTable::Entry kNothing{};
  for (size_t i = 0; i < asked_.size(); ++i) {
    const auto [table, hash] = asked_[i];
    const auto [line, tag, difference] = queries_[i];
    // Whether there is a candidate is as good as random: noting it takes no branch.
    const auto note = [&](uint64_t hash, uint32_t matches) {
      const TagTable::Entry* const entry = table->candidate(line, hash, matches);
      __builtin_prefetch(entry != nullptr ? entry : &kNothing);
      found_[n_found] = {entry, hash, i};
      n_found += entry != nullptr;
    };
    note(hash, matches_[i].one);
    note(hash ^ difference, difference != 0 ? matches_[i].other : 0);
  }
  values_.assign(asked_.size(), 0);
  for (const auto& [entry, hash, i] : std::span(found_).first(n_found)) {
    values_[i] += asked_[i].table->value(entry, hash);
  }
}

}  // namespace calque
