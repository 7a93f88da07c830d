#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.h"
#include "bind/register.h"
#include "checks.h"
#include "classes/exchange.h"
#include "classes/tree.h"
#include "error.h"

namespace calque::bind {
namespace {

void check_classes(int32_t n_classes) {
  if (n_classes < 1) throw Error("word classes: expected at least one class");
}

}  // namespace

void register_classes(nb::module_& m) {
  nb::class_<ClassExchange>(m, "ClassExchange", "Words of a corpus that move between classes.")
      .def(
          "__init__",
          [](ClassExchange* self, Vector<int32_t> ids, Vector<int64_t> offsets, int32_t n_words,
             int32_t n_classes) {
            check_classes(n_classes);
            nb::gil_scoped_release release;
            check_offsets(view(offsets), ids.size(), "words");
            new (self) ClassExchange(Bigrams(view(ids), view(offsets), n_words), n_classes);
          },
          nb::arg("ids"), nb::arg("offsets"), nb::arg("n_words"), nb::arg("n_classes"))
      .def(
          "sweep",
          [](ClassExchange& exchange) {
            std::vector<double> gains;
            {
              nb::gil_scoped_release release;
              gains = exchange.sweep();
            }
            return to_numpy(std::move(gains));
          },
          "Move each word to its best class; the gains (float64) of those that moved.")
      .def("objective", &ClassExchange::objective, "Class bigrams: sum n ln n - 2 sum N ln N.")
      .def(
          "classes",
          [](const ClassExchange& exchange) {
            std::vector<int32_t> classes = exchange.classes();
            classes.pop_back();  // the boundary
            return to_numpy(std::move(classes));
          },
          "The class (int32) of each word; -1 for those that do not occur.");
  m.def(
      "class_tree",
      [](Vector<int32_t> ids, Vector<int64_t> offsets, Vector<int32_t> classes,
         int32_t n_classes) {
        check_classes(n_classes);
        for (size_t word = 0; word < classes.size(); ++word) {
          if (classes(word) < -1 || classes(word) >= n_classes) {
            throw Error("word classes: a word's class is out of range");
          }
        }
        ClassTree tree;
        {
          nb::gil_scoped_release release;
          check_offsets(view(offsets), ids.size(), "words");
          const Bigrams bigrams(view(ids), view(offsets), static_cast<int32_t>(classes.size()));
          tree = build_class_tree(bigrams, view(classes), n_classes);
        }
        return std::tuple{tree.bits, tree.merges, to_numpy(std::move(tree.losses))};
      },
      nb::arg("ids"), nb::arg("offsets"), nb::arg("classes"), nb::arg("n_classes"),
      "Bit strings by class, the merges in order and their losses (float64).");
}

}  // namespace calque::bind
