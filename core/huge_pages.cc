#include "huge_pages.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace calque {
namespace {

constexpr size_t kLine = 64;                  // of the cache
#ifndef CALQUE_PLAIN_ALLOCATION
constexpr size_t kPage = 4096;                // what a chunk is cut into
constexpr size_t kUnit = size_t{64} << 10;    // a multiple of the page of every system
constexpr size_t kLargePage = size_t{2} << 20;
constexpr size_t kChunkPages = 2048;          // four large pages

size_t up_to(size_t n_bytes, size_t unit) { return (n_bytes + unit - 1) / unit * unit; }

#ifdef __linux__

// Straight from the system and back to it: what grows in steps would leave holes in a heap.
void* allocate_aligned(size_t n_bytes) {
  const size_t size = up_to(n_bytes, kUnit);
  void* const all = mmap(nullptr, size + kLargePage, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(all);
  const size_t before = up_to(reinterpret_cast<uintptr_t>(begin), kLargePage) -
                        reinterpret_cast<uintptr_t>(begin);
  if (before > 0) munmap(begin, before);
  if (before < kLargePage) munmap(begin + before + size, kLargePage - before);
  madvise(begin + before, size, MADV_HUGEPAGE);  // a hint, whose failure costs time only
  return begin + before;
}

void free_aligned(void* memory, size_t n_bytes) { munmap(memory, up_to(n_bytes, kUnit)); }

#else

void* allocate_aligned(size_t n_bytes) {
  return ::operator new(n_bytes, std::align_val_t{kLargePage});
}

void free_aligned(void* memory, size_t) { ::operator delete(memory, std::align_val_t{kLargePage}); }

#endif

// A few large pages that tables share, page by page of the ordinary size.
class Chunk {
 public:
  Chunk() : memory_(static_cast<std::byte*>(allocate_aligned(kSize))) {}

  bool is_empty() const { return n_free_ == kChunkPages; }
  bool has(const void* memory) const {
    const auto at = reinterpret_cast<uintptr_t>(memory);
    const auto begin = reinterpret_cast<uintptr_t>(memory_.get());
    return begin <= at && at < begin + kSize;
  }

  // So many pages in a row, or null.
  void* take(size_t n_pages) {
    if (n_pages > longest_) return nullptr;
    size_t longest = 0;
    for (size_t begin = 0, end; begin < kChunkPages; begin = end + 1) {
      for (end = begin; end < kChunkPages && !used_[end];) ++end;
      if (end - begin >= n_pages) {
        mark(begin, n_pages, true);
        return memory_.get() + begin * kPage;
      }
      longest = std::max(longest, end - begin);
    }
    longest_ = longest;
    return nullptr;
  }
  void give_back(const void* memory, size_t n_pages) {
    const auto offset = static_cast<const std::byte*>(memory) - memory_.get();
    mark(static_cast<size_t>(offset) / kPage, n_pages, false);
    longest_ = kChunkPages;  // at most
  }

 private:
  void mark(size_t begin, size_t n_pages, bool used) {
    std::fill_n(used_.begin() + static_cast<std::ptrdiff_t>(begin), n_pages, used);
    n_free_ = used ? n_free_ - n_pages : n_free_ + n_pages;
  }

  static constexpr size_t kSize = kChunkPages * kPage;
  struct Free {
    void operator()(std::byte* memory) const { free_aligned(memory, kSize); }
  };

  std::unique_ptr<std::byte, Free> memory_;
  std::vector<bool> used_ = std::vector<bool>(kChunkPages, false);
  size_t n_free_ = kChunkPages;
  size_t longest_ = kChunkPages;  // no row of free pages is longer
};

class Pool {
 public:
  void* take(size_t n_pages) {
    const std::lock_guard lock(mutex_);
    for (Chunk& chunk : chunks_) {
      if (void* memory = chunk.take(n_pages)) return memory;
    }
    return chunks_.emplace_back().take(n_pages);
  }
  void give_back(const void* memory, size_t n_pages) {
    const std::lock_guard lock(mutex_);
    const auto chunk = std::ranges::find_if(
        chunks_, [&](const Chunk& candidate) { return candidate.has(memory); });
    chunk->give_back(memory, n_pages);
    if (chunk->is_empty()) chunks_.erase(chunk);
  }

 private:
  std::mutex mutex_;
  std::vector<Chunk> chunks_;
};

// Never destroyed: whoever gives memory back at the end of the program still finds it.
Pool& pool() {
  static Pool* const pool = new Pool;
  return *pool;
}

bool is_shared(size_t n_bytes) { return n_bytes >= kPage && n_bytes < kLargePage; }
size_t n_pages(size_t n_bytes) { return up_to(n_bytes, kPage) / kPage; }

#endif
}  // namespace

#ifdef CALQUE_PLAIN_ALLOCATION

// Sanitizers see the end of what `new` gives, and not that of what is cut from a pool.
void* take_large(size_t n_bytes) { return ::operator new(n_bytes, std::align_val_t{kLine}); }

void give_back_large(void* memory, size_t) { ::operator delete(memory, std::align_val_t{kLine}); }

#else

void* take_large(size_t n_bytes) {
  if (n_bytes < kPage) return ::operator new(n_bytes, std::align_val_t{kLine});
  return is_shared(n_bytes) ? pool().take(n_pages(n_bytes)) : allocate_aligned(n_bytes);
}

void give_back_large(void* memory, size_t n_bytes) {
  if (n_bytes < kPage) return ::operator delete(memory, std::align_val_t{kLine});
  if (is_shared(n_bytes)) return pool().give_back(memory, n_pages(n_bytes));
  free_aligned(memory, n_bytes);
}

#endif

}  // namespace calque
