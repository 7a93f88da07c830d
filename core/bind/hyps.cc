#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.h"
#include "bind/register.h"
#include "hyps/nbest_reader.h"

namespace calque::bind {
namespace {

template <typename T>
OutVector<T> copy(const std::vector<T>& values) {
  return to_numpy(std::vector<T>(values));
}

}  // namespace

void register_hyps(nb::module_& m) {
  nb::class_<NBestReader>(m, "NBestReader", "N-best lists of Moses and Joshua, block by block.")
      .def(nb::init<>())
      .def("feed", &NBestReader::feed, nb::arg("block"), nb::call_guard<nb::gil_scoped_release>(),
           "Read a block of complete lines.")
      .def_prop_ro("line", &NBestReader::line, "The number of lines read.")
      .def(
          "names",
          [](const NBestReader& reader) {
            std::vector<std::string_view> names;
            for (int32_t id = 0; id < reader.names().size(); ++id) {
              names.push_back(reader.names().word(id));
            }
            return names;
          },
          "The features in order of appearance.")
      .def(
          "texts",
          [](const NBestReader& reader) {
            const NBestColumns& found = reader.columns();
            std::vector<std::string_view> texts;
            for (size_t i = 0; i + 1 < found.text_offsets.size(); ++i) {
              const auto begin = static_cast<size_t>(found.text_offsets[i]);
              const auto end = static_cast<size_t>(found.text_offsets[i + 1]);
              texts.push_back(std::string_view(found.texts).substr(begin, end - begin));
            }
            return texts;
          },
          "The words of every candidate.")
      .def("sentences", [](const NBestReader& r) { return copy(r.columns().sentences); })
      .def("row_offsets", [](const NBestReader& r) { return copy(r.columns().row_offsets); })
      .def("columns", [](const NBestReader& r) { return copy(r.columns().columns); })
      .def("values", [](const NBestReader& r) { return copy(r.columns().values); })
      .def("totals", [](const NBestReader& r) { return copy(r.columns().totals); },
           "One per candidate, or none.");
}

}  // namespace calque::bind
