#include "checks.h"

#include <algorithm>
#include <limits>
#include <string>

#include "error.h"

namespace calque {
namespace {

template <typename T>
void check_range(std::span<const T> ids, int64_t n_ids, std::string_view what) {
  for (const T id : ids) {
    if (id >= 0 && id < n_ids) continue;
    throw Error(std::string(what) + ": " + std::to_string(id) + " is outside the range from 0 to " +
                std::to_string(n_ids - 1));
  }
}

}  // namespace

void check_offsets(std::span<const int64_t> offsets, size_t size, std::string_view what) {
  const bool good = !offsets.empty() && offsets.front() == 0 &&
                    offsets.back() == static_cast<int64_t>(size) &&
                    std::ranges::is_sorted(offsets);
  if (!good) throw Error("the offsets of the " + std::string(what) + " do not delimit them");
}

void check_filled_offsets(std::span<const int64_t> offsets, size_t size, std::string_view what) {
  check_offsets(offsets, size, what);
  if (offsets.size() < 2 || std::ranges::adjacent_find(offsets) != offsets.end()) {
    throw Error("the offsets of the " + std::string(what) + " leave one of them empty");
  }
}

void check_ids(std::span<const int32_t> ids, int64_t n_ids, std::string_view what) {
  check_range(ids, n_ids, what);
}

void check_ids(std::span<const int64_t> ids, int64_t n_ids, std::string_view what) {
  check_range(ids, n_ids, what);
}

void check_ids(std::span<const int32_t> ids, std::string_view what) {
  check_ids(ids, int64_t{std::numeric_limits<int32_t>::max()} + 1, what);
}

void check_size(size_t size, size_t expected, std::string_view what) {
  if (size == expected) return;
  throw Error(std::string(what) + ": expected " + std::to_string(expected) + " entries, found " +
              std::to_string(size));
}

}  // namespace calque
