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

// What blocks of a table are as values of features.
class TableValues {
 public:
  TableValues(const BlockTable& table, std::span<const uint64_t> source_words,
              std::span<const uint64_t> target_words)
      : table_(table), source_words_(source_words), target_words_(target_words) {}

  uint64_t operator()(int64_t block) const {
    const auto above = std::ranges::upper_bound(table_.block_offsets, block);
    const auto source = table_.source(above - table_.block_offsets.begin() - 1);
    return block_value(phrase_value(source, source_words_),
                       phrase_value(table_.target(block), target_words_));
  }

 private:
  const BlockTable& table_;
  std::span<const uint64_t> source_words_, target_words_;
};

}  // namespace

std::vector<uint64_t> block_pair_keys(const std::string& name, const BlockTable& table,
                                      std::span<const uint64_t> source_words,
                                      std::span<const uint64_t> target_words,
                                      std::span<const int32_t> pairs, int n_threads) {
  const uint64_t hash = hash_bytes(name);
  const TableValues value_of(table, source_words, target_words);
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

std::vector<uint64_t> block_keys(const std::string& name, const BlockTable& table,
                                 std::span<const uint64_t> source_words,
                                 std::span<const uint64_t> target_words, int n_threads) {
  const uint64_t hash = hash_bytes(name);
  const TableValues value_of(table, source_words, target_words);
  std::vector<uint64_t> keys(static_cast<size_t>(table.n_blocks()));
  for_chunks(keys.size(), kChunk, n_threads, [&] {
    return [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        keys[i] = finish_key(hash, add_value(hash, 0, value_of(static_cast<int64_t>(i))));
      }
    };
  });
  return keys;
}

}  // namespace calque
