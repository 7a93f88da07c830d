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

// An array of the caller's that is changed in place. Unlike other arguments it is never converted:
// an array of another type or layout is a TypeError, not a copy whose changes would be lost.
template <typename T, int n_dimensions>
struct InOut : nb::ndarray<T, nb::ndim<n_dimensions>, nb::c_contig, nb::device::cpu> {
  using Array = nb::ndarray<T, nb::ndim<n_dimensions>, nb::c_contig, nb::device::cpu>;
  InOut() = default;
  explicit InOut(const Array& array) : Array(array) {}
};
template <typename T>
using InOutVector = InOut<T, 1>;
template <typename T>
using InOutMatrix = InOut<T, 2>;

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

template <typename T, int n_dimensions>
struct nanobind::detail::type_caster<calque::bind::InOut<T, n_dimensions>> {
  using Changed = calque::bind::InOut<T, n_dimensions>;
  using Array = typename Changed::Array;
  NB_TYPE_CASTER(Changed, type_caster<Array>::Name)

  bool from_python(handle src, uint32_t flags, cleanup_list* cleanup) noexcept {
    type_caster<Array> caster;
    if (!caster.from_python(src, flags & ~static_cast<uint32_t>(cast_flags::convert), cleanup)) {
      return false;
    }
    value = Value(caster.value);
    return true;
  }
};
