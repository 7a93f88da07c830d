// One row of statistics per hypothesis, on threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parallel.h"

namespace calque {

// `make_row()` is called once per thread and gives row(hypothesis, values), which fills one row and
// may own scratch memory. The rows one after the other.
template <typename MakeRow>
std::vector<double> fill_rows(size_t n_rows, size_t n_columns, int n_threads, MakeRow make_row) {
  constexpr size_t kChunk = 1024;
  std::vector<double> out(n_rows * n_columns);
  for_chunks(n_rows, kChunk, n_threads, [&] {
    return [&, row = make_row()](size_t begin, size_t end) mutable {
      for (size_t i = begin; i < end; ++i) {
        row(i, std::span(out).subspan(i * n_columns, n_columns));
      }
    };
  });
  return out;
}

}  // namespace calque
