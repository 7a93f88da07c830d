#include "bind/feature_set.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/language_model.h"
#include "error.h"

namespace calque::bind {
namespace {

CountComponent::Of to_count(const std::string& name) {
  if (name == "words") return CountComponent::Of::kWords;
  if (name == "blocks") return CountComponent::Of::kBlocks;
  if (name == "unknown") return CountComponent::Of::kUnknown;
  throw Error("words, blocks or unknown are counted");
}

JumpTable::Row to_row(const std::string& name) {
  if (name == "only") return JumpTable::Row::kOnly;
  if (name == "inbound") return JumpTable::Row::kInbound;
  if (name == "outbound") return JumpTable::Row::kOutbound;
  throw Error("the row of a jump table is only, inbound or outbound");
}

void add_block_column(BoundFeatureSet& self, const std::string& name, Matrix<float> values,
                      size_t column, float copied) {
  if (column >= values.shape(1)) throw Error(name + ": the table lacks this column");
  self.set.dense.block_columns.push_back(
      {self.set.dense.add(name), self.keep(values), values.shape(1), column, copied});
}

void add_orientation(BoundFeatureSet& self, const std::string& name, Matrix<float> values,
                     std::array<int, 3> columns, std::array<float, 3> copied, bool next) {
  const auto width = static_cast<int>(values.shape(1));
  if (std::ranges::any_of(columns, [&](int column) { return column < -1 || column >= width; })) {
    throw Error(name + ": the table lacks a column");
  }
  self.set.dense.orientation_columns.push_back(
      {self.set.dense.add(name), self.keep(values), values.shape(1), columns, copied, next});
}

void add_class_lm(BoundFeatureSet& self, const std::string& name, nb::object lm,
                  Vector<int32_t> classes) {
  const LanguageModel& model = nb::cast<const BoundLanguageModel&>(lm).view();
  if (self.set.dense.class_lm) throw Error("a set has at most one class language model");
  if (std::ranges::any_of(view(classes), [&](int32_t id) { return id < 0 || id >= model.n_words(); })) {
    throw Error("a target word has a class outside the class language model");
  }
  self.owners.push_back(lm);
  self.set.dense.class_lm = ClassLm{self.set.dense.add(name), {model, self.keep(classes)}};
}

void add_jump(BoundFeatureSet& self, const std::string& name, Matrix<float> values, int shift,
              const std::string& row) {
  const auto width = static_cast<int>(values.shape(1));
  if (values.shape(0) == 0 || width % 2 == 0) throw Error(name + ": rows of odd width are expected");
  self.set.dense.jumps.push_back(
      {self.set.dense.add(name), self.keep(values), width / 2, shift, to_row(row)});
}

}  // namespace

void register_feature_set(nb::module_& m) {
  nb::class_<BoundFeatureSet>(m, "FeatureSet", "What scores a derivation, component by component.")
      .def(nb::init<>())
      .def_prop_ro(
          "names", [](const BoundFeatureSet& self) { return self.set.dense.names; },
          "The dense components, in the order in which they were added.")
      .def("add_block_column", add_block_column, nb::arg("name"), nb::arg("values"),
           nb::arg("column"), nb::arg("copied"), "A column of a table with a row per block.")
      .def("add_orientation", add_orientation, nb::arg("name"), nb::arg("values"),
           nb::arg("columns"), nb::arg("copied"), nb::arg("next"),
           "The column of a block's row that its orientation chooses; -1: the value is 0.")
      .def(
          "add_count",
          [](BoundFeatureSet& self, const std::string& name, const std::string& of, double sign) {
            self.set.dense.counts.push_back({self.set.dense.add(name), to_count(of), sign});
          },
          nb::arg("name"), nb::arg("of"), nb::arg("sign"), "A number of words or blocks.")
      .def(
          "add_language_model",
          [](BoundFeatureSet& self, const std::string& name, bool first, bool rest) {
            self.set.dense.lms.push_back({self.set.dense.add(name), first, rest});
          },
          nb::arg("name"), nb::arg("first"), nb::arg("rest"),
          "The log probability of the words that begin a block, of the others, or of both.")
      .def("add_class_language_model", add_class_lm, nb::arg("name"), nb::arg("lm"),
           nb::arg("classes"), "The log probability of the classes of the words.")
      .def(
          "add_distance",
          [](BoundFeatureSet& self, const std::string& name) {
            self.set.dense.distances.push_back({self.set.dense.add(name)});
          },
          nb::arg("name"), "Minus the source words jumped over.")
      .def("add_jump", add_jump, nb::arg("name"), nb::arg("values"), nb::arg("shift"),
           nb::arg("row"), "The log probability of a jump, in a row of a table.");

  nb::class_<BoundWeights>(m, "WeightView", "The weights of one call.")
      .def(nb::init<Vector<double>>(), nb::arg("dense"));
}

}  // namespace calque::bind
