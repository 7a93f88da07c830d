// Memory for tables that are read at random places.
#pragma once

#include <cstddef>
#include <vector>

namespace calque {

// Memory on large pages, as far as the system gives them: a read at a random place then costs one
// miss of the cache and hardly ever one of the page tables, which costs as much again. Tables too
// small for a large page of their own share some with others. Thread-safe.
void* take_large(size_t n_bytes);
void give_back_large(void* memory, size_t n_bytes);

template <typename T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <typename Other>
  HugePageAllocator(const HugePageAllocator<Other>&) {}

  T* allocate(size_t n) { return static_cast<T*>(take_large(n * sizeof(T))); }
  void deallocate(T* memory, size_t n) { give_back_large(memory, n * sizeof(T)); }
  bool operator==(const HugePageAllocator&) const { return true; }
};

template <typename T>
using LargeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace calque
