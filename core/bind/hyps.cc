#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/arrays.h"
#include "bind/register.h"
#include "checks.h"
#include "error.h"
#include "hyps/feature_index.h"
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
                            const Vector<int64_t>& row_offsets, const Vector<uint64_t>& keys,
                            const Vector<double>& values) {
  const size_t n = sentences.size(), width = dense.shape(1);
  if (texts.size() != n || dense.shape(0) != n || row_offsets.size() != n + 1 ||
      keys.size() != values.size()) {
    throw Error("a text, dense features and offsets per candidate are expected");
  }
  check_offsets(view(row_offsets), keys.size(), "sparse features");
  std::vector<uint8_t> is_new(n);
  for (size_t i = 0; i < n; ++i) {
    const auto begin = static_cast<size_t>(row_offsets.data()[i]);
    const auto end = static_cast<size_t>(row_offsets.data()[i + 1]);
    RowHash row;
    row.add(static_cast<uint64_t>(sentences.data()[i]));
    row.add(bytes_of(texts[i]));
    row.add(bytes_of(dense.data(), i * width, (i + 1) * width));
    row.add(bytes_of(keys.data(), begin, end));
    row.add(bytes_of(values.data(), begin, end));
    is_new[i] = set.insert(row);
  }
  return to_numpy(std::move(is_new));
}

// Copies rows to other places of a larger array.
template <typename T>
void bind_scatter(nb::module_& m) {
  m.def(
      "scatter_rows",
      [](Vector<int64_t> offsets, Vector<T> data, Vector<int64_t> destinations,
         InOutVector<T> out) {
        if (offsets.size() != destinations.size() + 1) throw Error("a place per row is expected");
        const auto rows = view(offsets), to = view(destinations);
        nb::gil_scoped_release release;
        for (size_t i = 0; i < to.size(); ++i) {
          const int64_t begin = rows[i], end = rows[i + 1];
          if (begin < 0 || end < begin || end > static_cast<int64_t>(data.size()) || to[i] < 0 ||
              to[i] + (end - begin) > static_cast<int64_t>(out.size())) {
            throw Error("a row lies outside of its array");
          }
          std::copy(data.data() + begin, data.data() + end, out.data() + to[i]);
        }
      },
      nb::arg("offsets"), nb::arg("data").noconvert(), nb::arg("destinations"),
      nb::arg("out"), "Copy row i of `data` to `out[destinations[i]:]`.");
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
           nb::arg("row_offsets"), nb::arg("keys"), nb::arg("values"),
           "1 for every candidate that is new, 0 for those seen before.");
  nb::class_<FeatureIndex>(m, "FeatureIndex",
                           "Columns of sparse features by key, in order of appearance.")
      .def(nb::init<>())
      .def("__len__", [](const FeatureIndex& index) { return index.keys().size(); })
      .def(
          "add",
          [](FeatureIndex& index, Vector<uint64_t> keys, int threads) {
            std::vector<int32_t> columns(keys.size());
            {
              nb::gil_scoped_release release;
              index.add(view(keys), columns, threads);
            }
            return to_numpy(std::move(columns));
          },
          nb::arg("keys"), nb::kw_only(), nb::arg("threads") = 1,
          "The columns of the keys; new keys get the next ones.")
      .def(
          "find",
          [](const FeatureIndex& index, Vector<uint64_t> keys) {
            std::vector<int32_t> columns(keys.size());
            {
              nb::gil_scoped_release release;
              index.find(view(keys), columns);
            }
            return to_numpy(std::move(columns));
          },
          nb::arg("keys"), "The columns of the keys, -1 for those that have none.")
      .def(
          "keys",
          [](const FeatureIndex& index, size_t first) {
            const auto keys = index.keys().subspan(std::min(first, index.keys().size()));
            return to_numpy(std::vector<uint64_t>(keys.begin(), keys.end()));
          },
          nb::arg("first") = 0, "The keys by column, from the column `first` on.");
  bind_scatter<uint8_t>(m);
  bind_scatter<int32_t>(m);
  bind_scatter<double>(m);
}

}  // namespace calque::bind
