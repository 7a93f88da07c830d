#include "features/pair_keys.h"

#include <algorithm>

#include "features/templates.h"
#include "parallel.h"

namespace calque {
namespace {

constexpr size_t kChunk = 4096;

uint64_t phrase_value(std::span<const int32_t> words, std::span<const uint64_t> hashes) {
  uint64_t value = kEmptyPhrase;
  for (const int32_t word : words) value = extend_key(value, hashes[static_cast<size_t>(word)]);
  return value;
}

}  // namespace

std::vector<uint64_t> block_pair_keys(const std::string& name, const BlockTable& table,
                                      std::span<const uint64_t> source_words,
                                      std::span<const uint64_t> target_words,
                                      std::span<const int32_t> pairs, int n_threads) {
  const uint64_t hash = hash_bytes(name);
  const auto value_of = [&](int32_t block) {
    const auto above = std::ranges::upper_bound(table.block_offsets, int64_t{block});
    const auto source = table.source(above - table.block_offsets.begin() - 1);
    return block_value(phrase_value(source, source_words),
                       phrase_value(table.target(block), target_words));
  };
  std::vector<uint64_t> keys(pairs.size() / 2);
  for_chunks(keys.size(), kChunk, n_threads, [&] {
    return [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const uint64_t first = add_value(hash, 0, value_of(pairs[2 * i]));
        keys[i] = finish_key(hash, add_value(first, 1, value_of(pairs[2 * i + 1])));
      }
    };
  });
  return keys;
}

}  // namespace calque
