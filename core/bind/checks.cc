#include "bind/arrays.h"
#include "bind/register.h"
#include "checksum.h"
#include "error.h"
#include "lm/language_model.h"

namespace calque::bind {

void register_checks(nb::module_& m) {
  nb::class_<Checksum>(m, "Checksum", "A fast 64-bit checksum of bytes that come in pieces.")
      .def(nb::init<>())
      .def(
          "update",
          [](Checksum& self, Vector<uint8_t> bytes) {
            nb::gil_scoped_release release;
            self.update(std::as_bytes(view(bytes)));
          },
          nb::arg("bytes"), "Take the bytes that follow.")
      .def("value", &Checksum::value, "The checksum of all bytes so far.");
  m.def(
      "n_free_slots",
      [](Matrix<uint64_t> table) {
        if (table.shape(1) != 2) throw Error("a table has rows of 2");
        nb::gil_scoped_release release;
        return n_free_slots({reinterpret_cast<const LmSlot*>(table.data()), table.shape(0)});
      },
      nb::arg("table"),
      "The free slots of a table of n-grams; -1 where a number in it is not finite.");
}

}  // namespace calque::bind
