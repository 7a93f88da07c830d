// Memory for tables of hundreds of megabytes that are read at random places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace calque {

// Asks the system for large pages where an allocation is large: a read at a random place then costs
// one miss of the cache and hardly ever one of the page tables, which costs as much again.
template <typename T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <typename Other>
  HugePageAllocator(const HugePageAllocator<Other>&) {}

  T* allocate(size_t n) {
    const size_t n_bytes = n * sizeof(T);
    void* memory = ::operator new(n_bytes, alignment(n));
#ifdef __linux__
    constexpr size_t kPage = 4096;
    // A hint, whose failure costs time only.
    if (n_bytes >= kLarge) madvise(memory, n_bytes & ~(kPage - 1), MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t n) { ::operator delete(memory, alignment(n)); }
  bool operator==(const HugePageAllocator&) const { return true; }

 private:
  static constexpr size_t kLine = 64;        // of the cache
  static constexpr size_t kLarge = 2 << 20;  // a large page

  static std::align_val_t alignment(size_t n) {
    return std::align_val_t{n * sizeof(T) >= kLarge ? kLarge : kLine};
  }
};

template <typename T>
using LargeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace calque
