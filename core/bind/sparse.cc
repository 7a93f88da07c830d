#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "bind/arrays.h"
#include "bind/register.h"
#include "error.h"
#include "features/sparse/sparse_table.h"
#include "features/sparse/tag_line.h"

namespace calque::bind {
namespace {

void check_lengths(size_t n_keys, size_t n_values) {
  if (n_keys != n_values) {
    throw Error("there are " + std::to_string(n_keys) + " keys and " + std::to_string(n_values) +
                " values, expected as many of both");
  }
}

// Everything that a way to match tags finds, three numbers each.
OutVector<uint32_t> match_tags(const std::string& name, Matrix<uint16_t> lines,
                               Vector<uint16_t> tags, Vector<uint16_t> differences, bool wants_tag) {
  const auto all = tag_matchers();
  const auto matcher = std::ranges::find(all, name, &TagMatcher::name);
  constexpr size_t kWidth = TagLine::kTags + 1;
  if (matcher == all.end() || lines.shape(1) != kWidth || lines.shape(0) != tags.size()) {
    throw Error("expected a way to match tags, and rows of 32 numbers with a tag each");
  }
  std::vector<TagLine> copies(tags.size());
  std::vector<TagQuery> queries;
  for (size_t i = 0; i < copies.size(); ++i) {
    const auto line = view(lines).subspan(i * kWidth, kWidth);
    std::ranges::copy(line.first(TagLine::kTags), copies[i].tags.begin());
    copies[i].state = line.back();
    queries.push_back({&copies[i], differences.data(), static_cast<uint16_t>(differences.size()),
                       tags.data()[i], wants_tag});
  }
  std::vector<TagMatch> matches(queries.size() * (differences.size() + 1) + 1);
  matches.resize(matcher->match(queries, matches.data()));
  std::vector<uint32_t> flat;
  for (const auto& [query, which, slots] : matches) flat.insert(flat.end(), {query, which, slots});
  return to_numpy(std::move(flat));
}

}  // namespace

void register_sparse(nb::module_& m) {
  m.def(
      "tag_matchers",
      [] {
        nb::list names;
        for (const TagMatcher& matcher : tag_matchers()) names.append(matcher.name);
        return names;
      },
      nb::sig("def tag_matchers() -> list[str]"),
      "The ways to match tags that this processor has, the fastest last.");
  m.def("match_tags", &match_tags, nb::arg("matcher"), nb::arg("lines"), nb::arg("tags"),
        nb::arg("differences"), nb::arg("wants_tag"),
        "What one way finds of a tag, and of those that differ from it so, in each line: the line, "
        "the number of the difference from 1 on, and the places as bits.");
  nb::class_<SparseTable>(m, "SparseTable", "Numbers (float32) by 64-bit key; absent keys have 0.")
      .def(nb::init<>())
      .def("__len__", &SparseTable::size)
      .def("__contains__", &SparseTable::contains, nb::arg("key"))
      .def("__copy__", [](const SparseTable& table) { return SparseTable(table); },
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("n_bytes", &SparseTable::n_bytes, "Memory of the slots, used and free.")
      .def("get", nb::overload_cast<uint64_t>(&SparseTable::get, nb::const_), nb::arg("key"),
           "The value of the key; 0 where it is absent.")
      .def(
          "get_many",
          [](const SparseTable& table, Vector<uint64_t> keys) {
            std::vector<float> values(keys.size());
            {
              nb::gil_scoped_release release;
              table.get(view(keys), values);
            }
            return to_numpy(std::move(values));
          },
          nb::arg("keys"), "The values (float32) of the keys.")
      .def("set", nb::overload_cast<uint64_t, float>(&SparseTable::set), nb::arg("key"),
           nb::arg("value"), "Give the key a value.")
      .def("add", nb::overload_cast<uint64_t, float>(&SparseTable::add), nb::arg("key"),
           nb::arg("delta"), "Add to the value of the key.")
      .def(
          "set_many",
          [](SparseTable& table, Vector<uint64_t> keys, Vector<float> values, int threads) {
            check_lengths(keys.size(), values.size());
            nb::gil_scoped_release release;
            table.set(view(keys), view(values), threads);
          },
          nb::arg("keys"), nb::arg("values"), nb::kw_only(), nb::arg("threads") = 1,
          "Give each key its value; the last one counts.")
      .def(
          "add_many",
          [](SparseTable& table, Vector<uint64_t> keys, Vector<float> deltas) {
            check_lengths(keys.size(), deltas.size());
            nb::gil_scoped_release release;
            table.add(view(keys), view(deltas));
          },
          nb::arg("keys"), nb::arg("deltas"), "Add to the values of keys, which may repeat.")
      .def(
          "reserve",
          [](SparseTable& table, Vector<uint64_t> keys) {
            nb::gil_scoped_release release;
            table.reserve(view(keys));
          },
          nb::arg("keys"), "Make room for these keys, none of which is present.")
      .def("merge", &SparseTable::merge, nb::arg("other"), nb::arg("scale"),
           nb::call_guard<nb::gil_scoped_release>(), "Add `scale` times every entry of the other.")
      .def("scale", &SparseTable::scale, nb::arg("factor"),
           nb::call_guard<nb::gil_scoped_release>(), "Multiply every value.")
      .def("prune_magnitude", &SparseTable::prune_magnitude, nb::arg("least"),
           nb::call_guard<nb::gil_scoped_release>(), "Drop entries nearer to 0 than `least`.")
      .def("prune_count", &SparseTable::prune_count, nb::arg("counts"), nb::arg("least"),
           nb::call_guard<nb::gil_scoped_release>(),
           "Drop entries whose value in `counts` is below `least`.")
      .def(
          "entries",
          [](const SparseTable& table) {
            std::pair<std::vector<uint64_t>, std::vector<float>> found;
            {
              nb::gil_scoped_release release;
              found = table.entries();
            }
            return std::pair{to_numpy(std::move(found.first)), to_numpy(std::move(found.second))};
          },
          "All keys, ascending, and their values.");
}

}  // namespace calque::bind
