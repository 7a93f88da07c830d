#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <optional>
#include <tuple>
#include <variant>

#include "bind/arrays.h"
#include "bind/difference_lists.h"
#include "bind/register.h"
#include "checks.h"
#include "error.h"
#include "tune/expected_bleu.h"
#include "tune/penalty.h"
#include "tune/sentence_counts.h"

namespace calque::bind {
namespace {

Posterior posterior_of(const BoundDifferences& lists, const Vector<double>& worths, double scale) {
  check_size(worths.size(), lists.n_candidates(), "worths");
  return {view(worths), scale};
}

double expected(const BoundDifferences& lists, Vector<double> worths, double scale,
                Vector<double> weights, int threads, std::optional<InOutVector<double>> gradient) {
  check_size(weights.size(), lists.n_weights(), "weights");
  if (gradient) check_size(gradient->size(), lists.n_weights(), "gradient");
  const Posterior posterior = posterior_of(lists, worths, scale);
  const auto sums = gradient ? view(*gradient) : std::span<double>{};
  nb::gil_scoped_release release;
  return lists.with([&](const auto& some) {
    return expected_worth(some, posterior, view(weights), threads, sums);
  });
}

using Worths = std::tuple<OutVector<double>, OutVector<double>, OutVector<double>>;

Worths of_sentences(const BoundDifferences& lists, Vector<double> worths, double scale,
                    Vector<double> weights, bool derive, int threads) {
  check_size(weights.size(), lists.n_weights(), "weights");
  const Posterior posterior = posterior_of(lists, worths, scale);
  SentenceWorths found;
  {
    nb::gil_scoped_release release;
    const auto n_sentences = static_cast<int64_t>(lists.n_sentences());
    found = lists.with([&](const auto& some) {
      return sentence_worths(some, posterior, view(weights), 0, n_sentences, derive, threads);
    });
  }
  return {to_numpy(std::move(found.means)), to_numpy(std::move(found.dense)),
          to_numpy(std::move(found.sparse))};
}

void add_all(Vector<double> dense, Vector<double> sparse, Vector<int64_t> offsets,
             Vector<int32_t> features, int64_t n_dense, InOutVector<double> gradient, int threads) {
  if (n_dense < 0 || static_cast<size_t>(n_dense) > gradient.size()) {
    throw Error("expected no more dense features than there are");
  }
  const auto width = static_cast<size_t>(n_dense);
  if (width == 0 ? dense.size() > 0 : dense.size() % width > 0) {
    throw Error("derivatives by dense features: expected a row per sentence");
  }
  check_size(sparse.size(), features.size(), "derivatives by sparse features");
  check_offsets(view(offsets), features.size(), "features");
  check_ascending(view(offsets), view(features));
  check_ids(view(features), static_cast<int64_t>(gradient.size() - width), "features");
  nb::gil_scoped_release release;
  add_derivatives(view(dense), view(sparse), view(offsets), view(features), width, view(gradient),
                  threads);
}

// Gives the rule its memory, which is an array of the caller's.
void give_squares(GradientUpdate& update, const std::optional<InOutVector<double>>& squares,
                  size_t n_weights) {
  auto* rule = std::get_if<AdaGradStep>(&update);
  if (rule == nullptr) return;
  if (!squares) throw Error("rates that shrink with squares: expected an array for them");
  check_size(squares->size(), n_weights, "squares");
  rule->squares = view(*squares);
}

double steps(const BoundDifferences& lists, Vector<double> worths, double scale,
             Vector<int64_t> order, int64_t batch, double factor, double l2,
             Vector<uint8_t> moving, Vector<uint8_t> penalised, GradientUpdate update,
             InOutVector<double> weights, std::optional<InOutVector<double>> squares) {
  check_ids(view(order), static_cast<int64_t>(lists.n_sentences()), "order of sentences");
  if (batch < 1) throw Error("expected at least 1 sentence in a batch");
  check_size(weights.size(), lists.n_weights(), "weights");
  check_size(moving.size(), lists.n_weights(), "moving weights");
  check_size(penalised.size(), lists.n_weights(), "penalised weights");
  give_squares(update, squares, lists.n_weights());
  const Posterior posterior = posterior_of(lists, worths, scale);
  const SmallSteps how{static_cast<size_t>(batch), factor, l2, view(moving), view(penalised)};
  nb::gil_scoped_release release;
  return lists.with([&](const auto& some) {
    return small_steps(some, posterior, view(order), how, update, view(weights));
  });
}

double squares(Vector<double> weights, Vector<uint8_t> penalised, int threads) {
  check_size(penalised.size(), weights.size(), "penalised weights");
  nb::gil_scoped_release release;
  return penalised_squares(view(weights), view(penalised), threads);
}

void finish(InOutVector<double> gradient, double factor, double l2, Vector<double> weights,
            Vector<uint8_t> moving, Vector<uint8_t> penalised, int threads) {
  check_size(gradient.size(), weights.size(), "gradient");
  check_size(moving.size(), weights.size(), "moving weights");
  check_size(penalised.size(), weights.size(), "penalised weights");
  const PenalisedGradient how{factor, l2, view(moving), view(penalised)};
  nb::gil_scoped_release release;
  how.finish(view(gradient), view(weights), threads);
}

void step(GradientUpdate update, Vector<double> gradient, int64_t n_dense,
          InOutVector<double> weights, int threads, std::optional<InOutVector<double>> squares) {
  check_size(gradient.size(), weights.size(), "gradient");
  if (n_dense < 0) throw Error("expected at least 0 dense features");
  give_squares(update, squares, weights.size());
  nb::gil_scoped_release release;
  gradient_step(update, view(gradient), static_cast<size_t>(n_dense), view(weights), threads);
}

void rprop(RpropStep rule, Vector<double> gradient, InOutVector<double> weights,
           InOutVector<double> before, InOutVector<float> lengths, InOutVector<int8_t> signs,
           int threads) {
  check_size(gradient.size(), weights.size(), "gradient");
  check_size(before.size(), weights.size(), "weights before the last step");
  check_size(lengths.size(), weights.size(), "lengths of steps");
  check_size(signs.size(), weights.size(), "signs");
  nb::gil_scoped_release release;
  rprop_step(rule, view(gradient), {view(before), view(lengths), view(signs)}, view(weights),
             threads);
}

void count_sentences(SentenceCounts& counts, Vector<int64_t> offsets, Vector<int64_t> row_offsets,
                     Vector<int32_t> columns) {
  nb::gil_scoped_release release;
  if (offsets.size() == 0 || row_offsets.size() == 0) {
    throw Error("sizes of the lists do not agree");
  }
  check_offsets(view(offsets), row_offsets.size() - 1, "candidates");
  check_offsets(view(row_offsets), columns.size(), "sparse features");
  check_ids(view(columns), static_cast<int64_t>(counts.counts().size()), "columns");
  counts.add(view(offsets), view(row_offsets), view(columns));
}

}  // namespace

void register_expected_bleu(nb::module_& m) {
  nb::class_<SgdStep>(m, "SgdStep", "See calque.tune.updates.sgd.")
      .def(nb::init<double, double, double>(), nb::arg("dense_rate"), nb::arg("sparse_rate"),
           nb::arg("l1"));
  nb::class_<AdaGradStep>(m, "AdaGradStep", "See calque.tune.updates.adagrad.")
      .def(
          "__init__",
          [](AdaGradStep* self, double dense_rate, double sparse_rate, double l1) {
            new (self) AdaGradStep{dense_rate, sparse_rate, l1};
          },
          nb::arg("dense_rate"), nb::arg("sparse_rate"), nb::arg("l1"));
  nb::class_<RpropStep>(m, "RpropStep", "See calque.tune.updates.rprop.")
      .def(nb::init<double, double, double, double, bool>(), nb::arg("increase"),
           nb::arg("decrease"), nb::arg("least"), nb::arg("most"), nb::arg("as_printed"));
  nb::class_<SentenceCounts>(m, "SentenceCounts",
                             "In how many sentences each of so many columns occurs.")
      .def(nb::init<size_t>(), nb::arg("n_columns"))
      .def("add", &count_sentences, nb::arg("offsets"), nb::arg("row_offsets"),
           nb::arg("columns"), "Count more sentences, which were not counted before.")
      .def(
          "counts", [](const SentenceCounts& counts) { return to_numpy(std::vector<uint8_t>(counts.counts())); },
          "Up to 255.");
  m.def("expected_worth", &expected, nb::arg("lists"), nb::arg("worths"), nb::arg("scale"),
        nb::arg("weights"), nb::arg("threads"), nb::arg("gradient").none() = nb::none(),
        "The sum over sentences of the expected worth of a candidate; its derivatives are added to"
        " `gradient`.");
  m.def("sentence_worths", &of_sentences, nb::arg("lists"), nb::arg("worths"), nb::arg("scale"),
        nb::arg("weights"), nb::arg("derive"), nb::arg("threads"),
        "What `expected_worth` adds up, sentence by sentence: expected worths, derivatives by dense"
        " features (a row per sentence) and by the features of every sentence.");
  m.def("add_derivatives", &add_all, nb::arg("dense"), nb::arg("sparse"), nb::arg("offsets"),
        nb::arg("features"), nb::arg("n_dense"), nb::arg("gradient"), nb::arg("threads"),
        "Add derivatives to a gradient, sentence after sentence, as `expected_worth` does.");
  m.def("small_steps", &steps, nb::arg("lists"), nb::arg("worths"), nb::arg("scale"),
        nb::arg("order"), nb::arg("batch"), nb::arg("factor"), nb::arg("l2"), nb::arg("moving"),
        nb::arg("penalised"), nb::arg("update"), nb::arg("weights"),
        nb::arg("squares").none() = nb::none(),
        "Move the weights after every batch of sentences; the sum of their expected worths.");
  m.def("penalised_squares", &squares, nb::arg("weights"), nb::arg("penalised"),
        nb::arg("threads"), "The squares of the penalised weights, added up.");
  m.def("finish_gradient", &finish, nb::arg("gradient"), nb::arg("factor"), nb::arg("l2"),
        nb::arg("weights"), nb::arg("moving"), nb::arg("penalised"), nb::arg("threads"),
        "Make the gradient of factor * f - l2 * (squares of penalised weights) out of that of f, in"
        " place; it is 0 where weights do not move.");
  m.def("gradient_step", &step, nb::arg("update"), nb::arg("gradient"), nb::arg("n_dense"),
        nb::arg("weights"), nb::arg("threads"), nb::arg("squares").none() = nb::none(),
        "Move every weight that has a gradient.");
  m.def("rprop_step", &rprop, nb::arg("rule"), nb::arg("gradient"), nb::arg("weights"),
        nb::arg("before"), nb::arg("steps"), nb::arg("signs"), nb::arg("threads"),
        "Move every weight by the sign of its gradient.");
}

}  // namespace calque::bind
