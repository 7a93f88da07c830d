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
    void* memory = ::operator new(n * sizeof(T), kLine);
#ifdef __linux__
    constexpr uintptr_t kPage = 4096, kLarge = 2 << 20;
    if (n * sizeof(T) >= kLarge) {
      // A hint, whose failure costs time only.
      const auto begin = (reinterpret_cast<uintptr_t>(memory) + kPage - 1) & ~(kPage - 1);
      const auto end = (reinterpret_cast<uintptr_t>(memory) + n * sizeof(T)) & ~(kPage - 1);
      madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
    }
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t) { ::operator delete(memory, kLine); }
  bool operator==(const HugePageAllocator&) const { return true; }

 private:
  static constexpr std::align_val_t kLine{64};  // of the cache
};

template <typename T>
using LargeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace calque
