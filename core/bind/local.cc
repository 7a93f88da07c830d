// Events of the local model across the border.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "bind/arrays.h"
#include "bind/blocks.h"
#include "bind/language_model.h"
#include "bind/local.h"
#include "checks.h"
#include "error.h"
#include "tune/local_learner.h"
#include "tune/local_sets.h"

namespace calque::bind {
namespace {

// Offsets, choices, first, rest, pairs, sets, truths.
using SetArrays = std::tuple<OutVector<int64_t>, OutVector<int32_t>, OutVector<float>,
                             OutVector<float>, OutVector<int32_t>, OutVector<int32_t>,
                             OutVector<int32_t>>;

struct BoundSetBuilder {
  BoundSetBuilder(nb::object table_owner, Vector<int32_t> counts, nb::object lm_owner,
                  Vector<int32_t> lm_words, Matrix<int32_t> pair_rows, int n_alternatives)
      : table(table_owner), lm(lm_owner), words(lm_words), pairs(pair_rows),
        builder(make(counts, n_alternatives)) {}

  LocalSetBuilder make(const Vector<int32_t>& counts, int n_alternatives) const {
    if (pairs.shape(1) != 2) throw Error("expected pairs of two blocks");
    const auto& blocks = nb::cast<const BoundBlockTable&>(table).table;
    const TargetLm target{nb::cast<const BoundLanguageModel&>(lm).view(), view(words)};
    check_ids(view(words), target.lm.n_words(), "words of the language model");
    return LocalSetBuilder(blocks, view(counts), target, view(pairs), n_alternatives);
  }

  nb::object table, lm;
  Vector<int32_t> words;
  Matrix<int32_t> pairs;
  LocalSetBuilder builder;
};

SetArrays build(const BoundSetBuilder& self, Vector<int32_t> previous, Vector<int32_t> block,
                Vector<int8_t> side, Vector<int32_t> sentence, Vector<int16_t> target_begin,
                Vector<int32_t> words, Vector<int64_t> word_offsets, Vector<int32_t> allowed,
                Vector<int64_t> allowed_offsets, int threads) {
  LocalSets sets;
  {
    nb::gil_scoped_release release;
    sets = self.builder.build({view(previous), view(block), view(side), view(sentence),
                               view(target_begin), view(words), view(word_offsets), view(allowed),
                               view(allowed_offsets)},
                              threads);
  }
  return {to_numpy(std::move(sets.offsets)), to_numpy(std::move(sets.choices)),
          to_numpy(std::move(sets.first)), to_numpy(std::move(sets.rest)),
          to_numpy(std::move(sets.pairs)), to_numpy(std::move(sets.sets)),
          to_numpy(std::move(sets.truths))};
}

// The arrays of sets and events with the numbers of blocks, checked once for all calls.
struct BoundProblem {
  BoundProblem(Vector<int64_t> offsets_of, Vector<int32_t> choices_of, Vector<float> first_of,
               Vector<float> rest_of, Vector<int32_t> pairs_of, Vector<int32_t> sets_of,
               Vector<int32_t> truths_of, Matrix<float> values_of, int64_t n_of_pairs)
      : offsets(offsets_of), choices(choices_of), first(first_of), rest(rest_of), pairs(pairs_of),
        sets(sets_of), truths(truths_of), values(values_of),
        problem{view(offsets), view(choices), view(first), view(rest),
                view(pairs),   view(sets),    view(truths), view(values)},
        n_pairs(static_cast<size_t>(n_of_pairs)) {
    if (values.shape(1) != 4) throw Error("expected four numbers per block");
    if (n_of_pairs < 0) throw Error("expected a number of pairs");
    nb::gil_scoped_release release;
    if (!choices.size() && !sets.size()) return;
    check(problem, n_pairs);
  }

  void check_call(const Vector<int64_t>& events, size_t n_dense, size_t n_weights) const {
    check_ids(view(events), static_cast<int64_t>(problem.n_events()), "events");
    check_size(n_dense, 2 * kLocalDense, "dense weights");
    check_size(n_weights, n_pairs, "weights of pairs");
  }

  Vector<int64_t> offsets;
  Vector<int32_t> choices;
  Vector<float> first, rest;
  Vector<int32_t> pairs, sets, truths;
  Matrix<float> values;
  LocalProblem problem;
  size_t n_pairs;
};

std::pair<double, int64_t> learn(const BoundProblem& self, Vector<int64_t> order,
                                 const std::string& rule, Vector<double> dense_rates,
                                 double pair_rate, Vector<uint8_t> fixed_pairs,
                                 InOutVector<double> dense, InOutVector<double> pairs) {
  if (rule != "sgd" && rule != "perceptron") throw Error("no rule is called '" + rule + "'");
  nb::gil_scoped_release release;
  self.check_call(order, dense.size(), pairs.size());
  check_size(dense_rates.size(), dense.size(), "rates of dense weights");
  check_size(fixed_pairs.size(), pairs.size(), "fixed weights of pairs");
  const auto chosen = rule == "sgd" ? LocalRule::kLikelihood : LocalRule::kPerceptron;
  const LocalPass pass =
      local_pass(self.problem, view(order), chosen,
                 {view(dense_rates), pair_rate, view(fixed_pairs)}, {view(dense), view(pairs)});
  return {pass.loss, pass.n_alone};
}

OutVector<double> losses(const BoundProblem& self, Vector<int64_t> events, Vector<double> dense,
                         Vector<double> pairs, int threads) {
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    self.check_call(events, dense.size(), pairs.size());
    found = local_losses(self.problem, view(events), view(dense), view(pairs), threads);
  }
  return to_numpy(std::move(found));
}

}  // namespace

void register_local(nb::module_& m) {
  nb::class_<BoundSetBuilder>(m, "LocalSetBuilder", "Candidate sets of events.")
      .def(nb::init<nb::object, Vector<int32_t>, nb::object, Vector<int32_t>, Matrix<int32_t>, int>(),
           nb::arg("table"), nb::arg("counts"), nb::arg("lm"), nb::arg("lm_words"),
           nb::arg("pairs"), nb::arg("n_alternatives"),
           "`counts` has one number per block, `pairs` sorted rows (previous block, block).")
      .def("build", &build, nb::arg("previous"), nb::arg("block"), nb::arg("side"),
           nb::arg("sentence"), nb::arg("target_begin"), nb::arg("words"), nb::arg("word_offsets"),
           nb::arg("allowed"), nb::arg("allowed_offsets"), nb::arg("threads"),
           "Offsets of the sets; choices, log probabilities of first and other words, pairs of"
           " candidates; set and true candidate of events.");
  nb::class_<BoundProblem>(m, "LocalProblem", "Candidate sets of events to learn from.")
      .def(nb::init<Vector<int64_t>, Vector<int32_t>, Vector<float>, Vector<float>, Vector<int32_t>,
                    Vector<int32_t>, Vector<int32_t>, Matrix<float>, int64_t>(),
           nb::arg("offsets"), nb::arg("choices"), nb::arg("first"), nb::arg("rest"),
           nb::arg("pairs"), nb::arg("sets"), nb::arg("truths"), nb::arg("values"),
           nb::arg("n_pairs"),
           "`values` has four numbers per block: log p(block), p(right), p(left), lexical weight.")
      .def("learn", &learn, nb::arg("order"), nb::arg("rule"), nb::arg("dense_rates"),
           nb::arg("pair_rate"), nb::arg("fixed_pairs"), nb::arg("dense"), nb::arg("pairs"),
           "Moves the weights event by event; the sum of the losses before each move, and how many"
           " events left no choice.")
      .def("losses", &losses, nb::arg("events"), nb::arg("dense"), nb::arg("pairs"),
           nb::arg("threads"), "Minus the log probability of the truth of each event.");
}

}  // namespace calque::bind
