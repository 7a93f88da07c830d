#include "blocks/block_table.h"

#include <algorithm>
#include <array>
#include <bit>

#include "error.h"

namespace calque {

int64_t n_slots(int64_t n_sources) {
  if (n_sources > 0x7fffffff) throw Error("more than 2^31 - 1 source phrases");
  return static_cast<int64_t>(std::bit_ceil(2 * static_cast<uint64_t>(n_sources) + 1));
}

void index_sources(std::span<const int32_t> words, std::span<const int64_t> offsets,
                   std::span<int32_t> slots) {
  const size_t n = offsets.size() - 1;
  if (slots.size() != 2 * static_cast<size_t>(n_slots(static_cast<int64_t>(n)))) {
    throw Error("the hash index has another size");
  }
  const size_t mask = slots.size() / 2 - 1;
  std::fill(slots.begin(), slots.end(), -1);
  // Slots lie far apart: hashes are made a batch ahead, so that the memory arrives in time.
  constexpr size_t kBatch = 64;
  std::array<uint64_t, kBatch> hashes;
  for (size_t first = 0; first < n; first += kBatch) {
    const size_t batch = std::min(kBatch, n - first);
    for (size_t i = 0; i < batch; ++i) {
      hashes[i] = kEmptyPhraseHash;
      for (int64_t at = offsets[first + i]; at < offsets[first + i + 1]; ++at) {
        hashes[i] = extend_hash(hashes[i], words[at]);
      }
      __builtin_prefetch(&slots[2 * ((hashes[i] >> 32) & mask)], 1);
    }
    for (size_t i = 0; i < batch; ++i) {
      size_t at = (hashes[i] >> 32) & mask;
      while (slots[2 * at] >= 0) at = (at + 1) & mask;
      slots[2 * at] = static_cast<int32_t>(first + i);
      slots[2 * at + 1] = static_cast<int32_t>(hashes[i]);
    }
  }
}

}  // namespace calque
