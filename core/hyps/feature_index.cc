#include "hyps/feature_index.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "error.h"
#include "hash.h"
#include "parallel.h"

namespace calque {
namespace {

constexpr size_t kAhead = 16;  // keys whose slots are on their way while earlier ones are compared
constexpr size_t kFewestSlots = 256;
constexpr size_t kAtOnce = 4096;  // keys of a thread

}  // namespace

void FeatureIndex::add(std::span<const uint64_t> keys, std::span<int32_t> columns,
                       int n_threads) {
  // Threads look up what is there; what is new is numbered by one of them, in order.
  const bool is_looked_up = n_threads > 1 && !slots_.empty();
  if (is_looked_up) {
    for_chunks(keys.size(), kAtOnce, n_threads, [&] {
      return [&](size_t begin, size_t end) {
        find_some(keys.subspan(begin, end - begin), columns.subspan(begin, end - begin));
      };
    });
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    if (is_looked_up && columns[i] >= 0) continue;
    if (2 * (keys_.size() + 1) > slots_.size()) grow(keys_.size() + 1);
    if (i + kAhead < keys.size()) {
      __builtin_prefetch(&slots_[mix(keys[i + kAhead]) & (slots_.size() - 1)]);
    }
    int32_t& slot = slots_[place(keys[i])];
    if (slot < 0) {
      if (keys_.size() > std::numeric_limits<int32_t>::max()) {
        throw Error("more than 2,147,483,648 sparse features");
      }
      slot = static_cast<int32_t>(keys_.size());
      keys_.push_back(keys[i]);
    }
    columns[i] = slot;
  }
}

void FeatureIndex::find(std::span<const uint64_t> keys, std::span<int32_t> columns) const {
  if (slots_.empty()) {
    std::ranges::fill(columns, -1);
    return;
  }
  find_some(keys, columns);
}

// Precondition: there are slots.
void FeatureIndex::find_some(std::span<const uint64_t> keys, std::span<int32_t> columns) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) {
      __builtin_prefetch(&slots_[mix(keys[i + kAhead]) & (slots_.size() - 1)]);
    }
    columns[i] = slots_[place(keys[i])];
  }
}

// The slot of a key, or the free one that it would get.
size_t FeatureIndex::place(uint64_t key) const {
  size_t at = mix(key) & (slots_.size() - 1);
  while (slots_[at] >= 0 && keys_[static_cast<size_t>(slots_[at])] != key) {
    at = (at + 1) & (slots_.size() - 1);
  }
  return at;
}

void FeatureIndex::grow(size_t n_keys) {
  slots_.assign(std::bit_ceil(std::max(kFewestSlots, 2 * n_keys)), -1);
  for (size_t column = 0; column < keys_.size(); ++column) {
    slots_[place(keys_[column])] = static_cast<int32_t>(column);
  }
}

}  // namespace calque
