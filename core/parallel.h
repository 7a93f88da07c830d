// Work on threads whose result cannot depend on their number.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "interrupt.h"

namespace calque {

// Calls work(begin, end) for [0, chunk), [chunk, 2 * chunk) .. of [0, n_items), each chunk once, on
// up to `n_threads` threads. `make_work()` is called once per thread and gives the `work` of that
// thread, which may own scratch memory. Work that writes only to its own items is reproducible
// whatever the threads; work that writes to its chunk (index: begin / chunk) is, too, if the caller
// does not derive `chunk` from their number. The exception of the earliest failed chunk rises here
// after all threads have stopped; an interrupted call ends before its next chunk, or wherever its
// work asks.
template <typename MakeWork>
void for_chunks(size_t n_items, size_t chunk, int n_threads, MakeWork make_work) {
  const size_t n_chunks = (n_items + chunk - 1) / chunk;
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  size_t failed_chunk = n_chunks;
  std::atomic<bool> interrupted{false};
  auto run = [&] {
    size_t at = 0;
    try {
      auto work = make_work();
      while ((at = next.fetch_add(1)) < n_chunks) {
        end_if_interrupted();
        work(at * chunk, std::min(n_items, (at + 1) * chunk));
      }
    } catch (const Interrupted&) {
      interrupted.store(true);
      next.store(n_chunks);
    } catch (...) {
      const std::lock_guard lock(mutex);
      next.store(n_chunks);
      if (at < failed_chunk) {
        failed_chunk = at;
        failure = std::current_exception();
      }
    }
  };
  std::vector<std::jthread> threads;
  for (size_t i = 1; i < std::min<size_t>(static_cast<size_t>(n_threads), n_chunks); ++i) {
    threads.emplace_back([&] {
      const Following following(interrupted);
      run();
    });
  }
  run();
  threads.clear();  // joins
  if (interrupted) throw Interrupted();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace calque
