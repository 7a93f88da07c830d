// Checks of arrays that come from outside, the same for every kernel and every binding. They throw
// Error; `what` names the array. Oracle: tests/test_core_border.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace calque {

// Offsets begin at 0, never fall, and end at `size`: item i is [offsets[i], offsets[i + 1]).
void check_offsets(std::span<const int64_t> offsets, size_t size, std::string_view what);

// The same, and no item is empty; there is at least one.
void check_filled_offsets(std::span<const int64_t> offsets, size_t size, std::string_view what);

// Every id is at least 0 and below `n_ids`.
void check_ids(std::span<const int32_t> ids, int64_t n_ids, std::string_view what);
void check_ids(std::span<const int64_t> ids, int64_t n_ids, std::string_view what);

// Every id is at least 0.
void check_ids(std::span<const int32_t> ids, std::string_view what);

// An array has as many entries as are expected.
void check_size(size_t size, size_t expected, std::string_view what);

}  // namespace calque
