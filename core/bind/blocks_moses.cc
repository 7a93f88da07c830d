#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bind/arrays.h"
#include "bind/blocks.h"
#include "blocks/moses_reader.h"
#include "blocks/moses_writer.h"
#include "error.h"

namespace calque::bind {
namespace {

using Lines = nb::ndarray<nb::numpy, int64_t, nb::ndim<2>>;

std::pair<int64_t, std::string> to_pair(LineProblem&& problem) {
  return {problem.line, std::move(problem.message)};
}

NamedArrays finish(const MosesReader& reader) {
  MosesArrays arrays;
  {
    nb::gil_scoped_release release;
    arrays = reader.finish();
  }
  NamedArrays out;
  out["source_words"] = to_numpy(std::move(arrays.source_words));
  out["source_offsets"] = to_numpy(std::move(arrays.source_offsets));
  out["source_counts"] = to_numpy(std::move(arrays.source_counts));
  out["block_offsets"] = to_numpy(std::move(arrays.block_offsets));
  out["target_words"] = to_numpy(std::move(arrays.target_words));
  out["target_offsets"] = to_numpy(std::move(arrays.target_offsets));
  out["target_counts"] = to_numpy(std::move(arrays.target_counts));
  out["target_phrase"] = to_numpy(std::move(arrays.target_phrase));
  out["joint_counts"] = to_numpy(std::move(arrays.joint_counts));
  out["scores"] = to_numpy(std::move(arrays.scores));
  out["orientation"] = to_numpy(std::move(arrays.orientation));
  out["links"] = to_numpy(std::move(arrays.links));
  out["link_offsets"] = to_numpy(std::move(arrays.link_offsets));
  return out;
}

std::span<const MosesLine> to_lines(const Matrix<int64_t>& lines) {
  if (lines.shape(1) != 2) throw Error("lines have two columns: source phrase and block");
  return {reinterpret_cast<const MosesLine*>(lines.data()), lines.shape(0)};
}

// Words with ids from `table` must be in the word tables: sizes are compared once, not per word.
void check_words(std::span<const int32_t> words, const WordTable& table) {
  for (const int32_t word : words) {
    if (word < 0 || word >= table.size()) throw Error("the vocabulary lacks words of the blocks");
  }
}

Lines order(const BoundBlockTable& bound, const WordTable& source, const WordTable& target,
            bool with_gaps) {
  auto* kept = new std::vector<MosesLine>();
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<MosesLine>*>(p); });
  {
    nb::gil_scoped_release release;
    check_words(bound.table.source_words, source);
    check_words(bound.table.target_words, target);
    *kept = moses_order(bound.table, source, target, with_gaps);
  }
  return Lines(kept->data(), {kept->size(), 2}, owner);
}

std::string phrases(const BoundBlockTable& bound, Matrix<int64_t> lines, const WordTable& source,
                    const WordTable& target, bool with_gaps) {
  nb::gil_scoped_release release;
  return moses_phrases(bound.table, to_lines(lines), source, target, with_gaps);
}

std::string orientations(const BoundBlockTable& bound, Matrix<int64_t> lines,
                         const WordTable& source, const WordTable& target) {
  nb::gil_scoped_release release;
  return moses_orientations(bound.table, to_lines(lines), source, target);
}

}  // namespace

void register_moses(nb::module_& m) {
  nb::class_<MosesReader>(m, "MosesReader", "Reads Moses's text tables.")
      .def(nb::init<const WordTable&, const WordTable&, bool>(), nb::arg("source"),
           nb::arg("target"), nb::arg("with_gaps"))
      .def(
          "add_phrases",
          [](MosesReader& self, std::string_view text) {
            nb::gil_scoped_release release;
            return to_pair(self.add_phrases(text));
          },
          nb::arg("text"), "Line and problem of the first bad line of a phrase table, or 0 and ''.")
      .def(
          "add_orientations",
          [](MosesReader& self, std::string_view text) {
            nb::gil_scoped_release release;
            return to_pair(self.add_orientations(text));
          },
          nb::arg("text"), "The same for a reordering table.")
      .def("line_without_orientation", &MosesReader::line_without_orientation,
           "The phrase table's line that the reordering table lacks, or 0.")
      .def("finish", &finish, "The arrays of the block table.")
      .def_prop_ro("source_table", &MosesReader::source_table)
      .def_prop_ro("target_table", &MosesReader::target_table);
  m.def("moses_order", &order, nb::arg("table"), nb::arg("source"), nb::arg("target"),
        nb::arg("with_gaps"), "Rows of (source phrase, block) in the order of a sorted Moses table.");
  m.def("moses_phrases", &phrases, nb::arg("table"), nb::arg("lines"), nb::arg("source"),
        nb::arg("target"), nb::arg("with_gaps"), "Lines of a phrase table, or of one of rules.");
  m.def("moses_orientations", &orientations, nb::arg("table"), nb::arg("lines"),
        nb::arg("source"), nb::arg("target"), "Lines of a reordering table.");
}

}  // namespace calque::bind
