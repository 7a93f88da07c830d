// The keys of features of blocks, and of two blocks in a row, for many at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "blocks/block_table.h"

namespace calque {

// The keys that a template of this name with the slots previous.block and block gives to `pairs`,
// rows (previous block, block). Words are given as hashes of their texts, by id.
// Oracle: tests/test_tune_local.py (scores of derivations).
std::vector<uint64_t> block_pair_keys(const std::string& name, const BlockTable& table,
                                      std::span<const uint64_t> source_words,
                                      std::span<const uint64_t> target_words,
                                      std::span<const int32_t> pairs, int n_threads);

// The keys that a template of this name with the one slot block gives to all blocks of the table.
// Oracle: tests/test_tune_growth.py (keys of names).
std::vector<uint64_t> block_keys(const std::string& name, const BlockTable& table,
                                 std::span<const uint64_t> source_words,
                                 std::span<const uint64_t> target_words, int n_threads);

}  // namespace calque
