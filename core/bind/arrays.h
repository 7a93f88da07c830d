// numpy arrays across the border: vectors become arrays without a copy, arrays become spans.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

namespace calque::bind {

namespace nb = nanobind;

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using OutVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// A view of the array's memory; the caller keeps the array alive.
template <typename Array>
auto view(const Array& array) {
  return std::span(array.data(), array.size());
}

// The vector's memory as a numpy array that owns it.
template <typename T>
OutVector<T> to_numpy(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return OutVector<T>(kept->data(), {kept->size()}, owner);
}

}  // namespace calque::bind
