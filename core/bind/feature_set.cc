#include "bind/feature_set.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string_view>

#include "bind/blocks.h"
#include "bind/language_model.h"
#include "checks.h"
#include "error.h"
#include "features/feature_key.h"
#include "features/pair_keys.h"

namespace calque::bind {
namespace {

CountComponent::Of to_count(const std::string& name) {
  if (name == "words") return CountComponent::Of::kWords;
  if (name == "blocks") return CountComponent::Of::kBlocks;
  if (name == "unknown") return CountComponent::Of::kUnknown;
  if (name == "glue") return CountComponent::Of::kGlue;
  throw Error("words, blocks or unknown are counted");
}

JumpTable::Row to_row(const std::string& name) {
  if (name == "only") return JumpTable::Row::kOnly;
  if (name == "inbound") return JumpTable::Row::kInbound;
  if (name == "outbound") return JumpTable::Row::kOutbound;
  throw Error("the row of a jump table is only, inbound or outbound");
}

BlockColumn::Frequency to_frequency(const std::string& name) {
  if (name == "none") return BlockColumn::Frequency::kNone;
  if (name == "source given target") return BlockColumn::Frequency::kSourceGivenTarget;
  if (name == "target given source") return BlockColumn::Frequency::kTargetGivenSource;
  throw Error("a frequency is none, source given target or target given source");
}

Steps to_steps(const std::string& name) {
  if (name == "all") return Steps::kAll;
  if (name == "adjacent") return Steps::kAdjacent;
  if (name == "neutral") return Steps::kNeutral;
  throw Error("a component counts in all, adjacent or neutral steps");
}

void add_block_column(BoundFeatureSet& self, const std::string& name, Matrix<float> values,
                      size_t column, float copied, const std::string& frequency,
                      const std::string& steps) {
  if (column >= values.shape(1)) throw Error(name + ": the table lacks this column");
  const BlockColumn::Frequency kind = to_frequency(frequency);
  if (kind != BlockColumn::Frequency::kNone && to_steps(steps) != Steps::kAll) {
    throw Error(name + ": a relative frequency counts in all steps");
  }
  self.set.dense.block_columns.push_back({self.set.dense.add(name), self.keep(values),
                                          values.shape(1), column, copied, kind, to_steps(steps)});
}

void add_orientation(BoundFeatureSet& self, const std::string& name, Matrix<float> values,
                     std::array<int, 3> columns, std::array<float, 3> copied, bool next,
                     bool merged) {
  const auto width = static_cast<int>(values.shape(1));
  if (std::ranges::any_of(columns, [&](int column) { return column < -1 || column >= width; })) {
    throw Error(name + ": the table lacks a column");
  }
  DenseSet& dense = self.set.dense;
  (merged ? dense.merged_columns : dense.orientation_columns)
      .push_back({dense.add(name), self.keep(values), values.shape(1), columns, copied, next});
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

void set_levels(BoundFeatureSet& self, size_t n_source_levels, Matrix<uint64_t> target_levels) {
  if (n_source_levels == 0 || target_levels.shape(1) == 0 || target_levels.shape(0) == 0) {
    throw Error("at least one level of words is expected");
  }
  const size_t width = target_levels.shape(1);
  self.set.sparse.set_levels(n_source_levels, width, self.keep(target_levels));
}

void add_template(BoundFeatureSet& self, const std::string& name,
                  const std::vector<std::string>& slots, const std::vector<uint8_t>& levels,
                  const std::vector<uint8_t>& kinds, bool copies, bool listed, bool adjacent) {
  std::vector<SlotUse> uses;
  for (const std::string& slot : slots) uses.push_back(find_slot(slot));
  const size_t most = std::max(self.set.sparse.n_source_levels(), self.set.sparse.n_target_levels());
  if (std::ranges::any_of(levels, [&](uint8_t level) { return level >= most; })) {
    throw Error("template '" + name + "': a level is missing");
  }
  self.set.sparse.add(name, std::move(uses), levels, kinds, copies, listed, adjacent);
}

void set_pairs(BoundFeatureSet& self, Matrix<int32_t> pairs) {
  if (pairs.shape(1) != 2) throw Error("pairs of block rows are expected");
  std::vector<uint64_t> sorted;
  for (size_t i = 0; i < pairs.shape(0); ++i) {
    sorted.push_back(static_cast<uint64_t>(pairs(i, 0)) << 32 | static_cast<uint32_t>(pairs(i, 1)));
  }
  std::ranges::sort(sorted);
  self.set.sparse.set_pairs(std::move(sorted));
}

void set_event_counts(BoundFeatureSet& self, Matrix<int32_t> counts) {
  if (counts.shape(1) != kSides) throw Error("counts of left, right and neutral are expected");
  self.set.events = {self.keep(counts)};
}

// Words of a table have hashes.
void check_hashes(const BlockTable& table, const Vector<uint64_t>& source_words,
                  const Vector<uint64_t>& target_words) {
  check_ids(table.source_words, static_cast<int64_t>(source_words.size()), "source words");
  check_ids(table.target_words, static_cast<int64_t>(target_words.size()), "target words");
}

OutVector<uint64_t> keys_of_blocks(const std::string& name, const BoundBlockTable& table,
                                   Vector<uint64_t> source_words, Vector<uint64_t> target_words,
                                   int threads) {
  std::vector<uint64_t> keys;
  {
    nb::gil_scoped_release release;
    check_hashes(table.table, source_words, target_words);
    keys = block_keys(name, table.table, view(source_words), view(target_words), threads);
  }
  return to_numpy(std::move(keys));
}

OutVector<uint64_t> pair_keys(const std::string& name, const BoundBlockTable& table,
                              Vector<uint64_t> source_words, Vector<uint64_t> target_words,
                              Matrix<int32_t> pairs, int threads) {
  if (pairs.shape(1) != 2) throw Error("expected pairs of two blocks");
  std::vector<uint64_t> keys;
  {
    nb::gil_scoped_release release;
    check_ids(view(pairs), table.table.n_blocks(), "pairs of blocks");
    check_hashes(table.table, source_words, target_words);
    keys = block_pair_keys(name, table.table, view(source_words), view(target_words), view(pairs),
                           threads);
  }
  return to_numpy(std::move(keys));
}

}  // namespace

void register_feature_set(nb::module_& m) {
  nb::class_<BoundFeatureSet>(m, "FeatureSet", "What scores a derivation, component by component.")
      .def(nb::init<>())
      .def_prop_ro(
          "names", [](const BoundFeatureSet& self) { return self.set.dense.names; },
          "The dense components, in the order in which they were added.")
      .def("add_block_column", add_block_column, nb::arg("name"), nb::arg("values"),
           nb::arg("column"), nb::arg("copied"), nb::arg("frequency") = "none",
           nb::arg("steps") = "all",
           "A column of a table with a row per block; `frequency` says whether it is a relative "
           "frequency, which leave-one-out changes: source given target, target given source; "
           "`steps` whether it counts in all steps, in adjacent or in neutral ones.")
      .def("add_orientation", add_orientation, nb::arg("name"), nb::arg("values"),
           nb::arg("columns"), nb::arg("copied"), nb::arg("next"), nb::arg("merged") = false,
           "The column of a block's row that its orientation chooses; -1: the value is 0. `merged`: "
           "its orientation towards merged blocks.")
      .def(
          "add_count",
          [](BoundFeatureSet& self, const std::string& name, const std::string& of, double sign) {
            self.set.dense.counts.push_back({self.set.dense.add(name), to_count(of), sign});
          },
          nb::arg("name"), nb::arg("of"), nb::arg("sign"), "A number of words or blocks.")
      .def(
          "add_language_model",
          [](BoundFeatureSet& self, const std::string& name, bool first, bool rest,
             const std::string& steps) {
            self.set.dense.lms.push_back({self.set.dense.add(name), first, rest, to_steps(steps)});
          },
          nb::arg("name"), nb::arg("first"), nb::arg("rest"), nb::arg("steps") = "all",
          "The log probability of the words that begin a block, of the others, or of both; in all "
          "steps, in adjacent or in neutral ones.")
      .def("add_class_language_model", add_class_lm, nb::arg("name"), nb::arg("lm"),
           nb::arg("classes"), "The log probability of the classes of the words.")
      .def(
          "add_distance",
          [](BoundFeatureSet& self, const std::string& name) {
            self.set.dense.distances.push_back({self.set.dense.add(name)});
          },
          nb::arg("name"), "Minus the source words jumped over.")
      .def("add_jump", add_jump, nb::arg("name"), nb::arg("values"), nb::arg("shift"),
           nb::arg("row"), "The log probability of a jump, in a row of a table.")
      .def("set_levels", set_levels, nb::arg("n_source_levels"), nb::arg("target_levels"),
           "How many levels source words have, and the hashes of target words at each of theirs.")
      .def("set_pairs", set_pairs, nb::arg("pairs"),
           "The pairs of block rows that listed templates fire for.")
      .def("set_event_counts", set_event_counts, nb::arg("counts"),
           "How often each block followed on the left, on the right, and none.")
      .def_prop_ro(
          "has_event_counts", [](const BoundFeatureSet& self) { return !self.set.events.empty(); },
          "Whether it is known how often blocks were seen in events.")
      .def("add_template", add_template, nb::arg("name"), nb::arg("slots"), nb::arg("levels"),
           nb::arg("kinds"), nb::arg("copies"), nb::arg("listed"), nb::arg("adjacent"),
           "Sparse features, one per combination of values. Levels of one kind tell words apart in "
           "much the same way.")
      .def_prop_ro(
          "has_templates", [](const BoundFeatureSet& self) { return !self.set.sparse.empty(); },
          "Whether there are sparse features.")
      .def_prop_ro(
          "n_history", [](const BoundFeatureSet& self) { return self.set.sparse.n_history(); },
          "How many target words before a block the templates look at.");
  m.def(
      "slot_names",
      [] {
        nb::list names;
        for (const std::string_view name : kSlotNames) names.append(nb::str(name.data(), name.size()));
        return names;
      },
      nb::sig("def slot_names() -> list[str]"), "What templates may look at.");
  m.def(
      "block_decides",
      [](const std::vector<std::string>& slots) {
        std::vector<SlotUse> uses;
        for (const std::string& slot : slots) uses.push_back(find_slot(slot));
        return is_of_block(uses);
      },
      nb::arg("slots"), "Whether a block and its place in the sentence decide these values.");
  m.def("feature_key", feature_key, nb::arg("template"), nb::arg("slots"), nb::arg("values"),
        "The key of a sparse feature from the texts of its values.");
  m.def("block_keys", &keys_of_blocks, nb::arg("template"), nb::arg("table"),
        nb::arg("source_words"), nb::arg("target_words"), nb::arg("threads"),
        "The keys of a template of block alone for all blocks; words are hashes of their texts.");
  m.def("block_pair_keys", &pair_keys, nb::arg("template"), nb::arg("table"),
        nb::arg("source_words"), nb::arg("target_words"), nb::arg("pairs"), nb::arg("threads"),
        "The keys of a template of previous.block and block for rows of such pairs; words are"
        " hashes of their texts.");

  nb::class_<BoundWeights>(m, "WeightView", "The weights of one call.")
      .def(nb::init<Vector<double>, nb::object>(), nb::arg("dense"), nb::arg("sparse").none(),
           "`sparse` is a SparseTable; without it sparse features count for nothing.");
}

}  // namespace calque::bind
