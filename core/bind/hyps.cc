#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.h"
#include "bind/register.h"
#include "checks.h"
#include "error.h"
#include "hyps/nbest_reader.h"
#include "hyps/row_set.h"

namespace calque::bind {
namespace {

template <typename T>
OutVector<T> copy(const std::vector<T>& values) {
  return to_numpy(std::vector<T>(values));
}

// The UTF-8 bytes of a text, which its Python object keeps.
std::string_view bytes_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* bytes =
      PyUnicode_Check(text.ptr()) ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
  if (bytes == nullptr) {
    PyErr_Clear();
    throw Error("a candidate is not text that UTF-8 can hold");
  }
  return {bytes, static_cast<size_t>(size)};
}

template <typename T>
std::string_view bytes_of(const T* values, size_t begin, size_t end) {
  return {reinterpret_cast<const char*>(values + begin), (end - begin) * sizeof(T)};
}

// 1 for every candidate that is new to the set.
OutVector<uint8_t> add_rows(RowSet& set, const Vector<int64_t>& sentences,
                            const nb::typed<nb::list, nb::str>& texts, const Matrix<double>& dense,
                            const Vector<int64_t>& row_offsets, const Vector<int32_t>& columns,
                            const Vector<double>& values) {
  const size_t n = sentences.size(), width = dense.shape(1);
  if (texts.size() != n || dense.shape(0) != n || row_offsets.size() != n + 1 ||
      columns.size() != values.size()) {
    throw Error("a text, dense features and offsets per candidate are expected");
  }
  check_offsets(view(row_offsets), columns.size(), "sparse features");
  std::vector<uint8_t> is_new(n);
  for (size_t i = 0; i < n; ++i) {
    const auto begin = static_cast<size_t>(row_offsets.data()[i]);
    const auto end = static_cast<size_t>(row_offsets.data()[i + 1]);
    RowHash row;
    row.add(static_cast<uint64_t>(sentences.data()[i]));
    row.add(bytes_of(texts[i]));
    row.add(bytes_of(dense.data(), i * width, (i + 1) * width));
    row.add(bytes_of(columns.data(), begin, end));
    row.add(bytes_of(values.data(), begin, end));
    is_new[i] = set.insert(row);
  }
  return to_numpy(std::move(is_new));
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
  nb::class_<RowSet>(m, "RowSet", "Candidates that were seen, by a hash of 128 bits.")
      .def(nb::init<>())
      .def("__len__", &RowSet::size)
      .def("add", add_rows, nb::arg("sentences"), nb::arg("texts"), nb::arg("dense"),
           nb::arg("row_offsets"), nb::arg("columns"), nb::arg("values"),
           "1 for every candidate that is new, 0 for those seen before.");
}

}  // namespace calque::bind
