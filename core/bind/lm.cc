#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/language_model.h"
#include "bind/register.h"
#include "checks.h"
#include "error.h"
#include "lm/arpa_reader.h"
#include "lm/arpa_writer.h"
#include "lm/count.h"
#include "lm/entries.h"
#include "lm/kneser_ney.h"

namespace calque::bind {

LanguageModel BoundLanguageModel::make_view() const {
  if (tables_.size() >= kMaxLmOrder) throw Error("a language model has at most order 7");
  if (unigrams_.shape(1) != 2 || unigrams_.shape(0) < 3) throw Error("unigrams are rows of 2");
  const auto* entries = reinterpret_cast<const LmEntry*>(unigrams_.data());
  std::vector<std::span<const LmSlot>> spans;
  for (const auto& table : tables_) {
    if (table.shape(1) != 2 || table.shape(0) == 0) throw Error("a table has rows of 2");
    spans.emplace_back(reinterpret_cast<const LmSlot*>(table.data()), table.shape(0));
  }
  return {{entries, unigrams_.shape(0)}, spans};
}

namespace {

std::span<const Ngram> as_ngrams(const Matrix<int32_t>& rows) {
  if (rows.shape(1) != 2) throw Error("n-grams are rows of context and word");
  return {reinterpret_cast<const Ngram*>(rows.data()), rows.shape(0)};
}

std::span<Ngram> as_ngrams(const InOutMatrix<int32_t>& rows) {
  if (rows.shape(1) != 2) throw Error("n-grams are rows of context and word");
  return {reinterpret_cast<Ngram*>(rows.data()), rows.shape(0)};
}

NgramLists as_lists(const std::vector<Matrix<int32_t>>& ngrams) {
  NgramLists lists;
  for (const auto& rows : ngrams) lists.push_back(as_ngrams(rows));
  return lists;
}

template <typename T>
OutVector<T> copy(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()));
}

void register_estimation(nb::module_& m) {
  m.def(
      "mark_sentences",
      [](Vector<int32_t> ids, Vector<int64_t> offsets, int32_t n_words,
         InOutVector<int32_t> tokens) {
        nb::gil_scoped_release release;
        check_offsets(view(offsets), ids.size(), "words");
        check_size(tokens.size(), ids.size() + 2 * (offsets.size() - 1), "tokens");
        mark_sentences(view(ids), view(offsets), n_words, view(tokens));
      },
      nb::arg("ids"), nb::arg("offsets"), nb::arg("n_words"), nb::arg("tokens"),
      "Write every sentence with its start and end to `tokens`.");
  m.def(
      "count_ngrams",
      [](int n, bool highest, Vector<int32_t> tokens, Vector<int32_t> below,
         InOutVector<int32_t> nodes, InOutVector<uint32_t> counts_below,
         InOutMatrix<int32_t> ngrams, InOutVector<int32_t> suffixes, InOutVector<uint32_t> counts,
         int passes, InOutVector<int32_t> renumbering) {
        nb::gil_scoped_release release;
        const NgramCounts out{as_ngrams(ngrams), view(suffixes), view(counts)};
        check_size(below.size(), tokens.size(), "nodes of the order below");
        check_size(nodes.size(), tokens.size(), "nodes");
        check_size(suffixes.size(), out.ngrams.size(), "suffixes");
        check_size(counts.size(), out.ngrams.size(), "counts");
        check_size(renumbering.size(), passes > 1 ? out.ngrams.size() : 0, "renumbering");
        return count_ngrams(n, highest, view(tokens), view(below), view(nodes), view(counts_below),
                            out, passes, view(renumbering));
      },
      nb::arg("n"), nb::arg("highest"), nb::arg("tokens"), nb::arg("below"), nb::arg("nodes"),
      nb::arg("counts_below"), nb::arg("ngrams"), nb::arg("suffixes"), nb::arg("counts"),
      nb::arg("passes"), nb::arg("renumbering"),
      "List and count the n-grams of order n >= 2 given those of the order below; how many.");
  m.def(
      "merge_ngrams",
      [](int n, Matrix<int32_t> part_ngrams, Vector<int32_t> part_suffixes,
         Vector<uint32_t> part_counts, InOutVector<int32_t> nodes,
         InOutVector<uint32_t> counts_below, InOutMatrix<int32_t> ngrams,
         InOutVector<int32_t> suffixes, InOutVector<uint32_t> counts, int passes,
         InOutVector<int32_t> renumbering) {
        nb::gil_scoped_release release;
        const CountedParts parts{as_ngrams(part_ngrams), view(part_suffixes), view(part_counts)};
        const NgramCounts out{as_ngrams(ngrams), view(suffixes), view(counts)};
        check_size(parts.suffixes.size(), parts.ngrams.size(), "suffixes of parts");
        check_size(parts.counts.size(), parts.ngrams.size(), "counts of parts");
        check_size(nodes.size(), parts.ngrams.size(), "nodes");
        check_ids(parts.suffixes, static_cast<int64_t>(counts_below.size()), "suffixes of parts");
        check_size(suffixes.size(), out.ngrams.size(), "suffixes");
        check_size(counts.size(), out.ngrams.size(), "counts");
        check_size(renumbering.size(), passes > 1 ? out.ngrams.size() : 0, "renumbering");
        return merge_ngrams(n, parts, view(nodes), view(counts_below), out, passes,
                            view(renumbering));
      },
      nb::arg("n"), nb::arg("part_ngrams"), nb::arg("part_suffixes"), nb::arg("part_counts"),
      nb::arg("nodes"), nb::arg("counts_below"), nb::arg("ngrams"), nb::arg("suffixes"),
      nb::arg("counts"), nb::arg("passes"), nb::arg("renumbering"),
      "List and count the n-grams of order n >= 2 from those of parts of the text; how many.");
  m.def(
      "counts_of_counts",
      [](Vector<uint32_t> counts) {
        nb::gil_scoped_release release;
        return counts_of_counts(view(counts));
      },
      nb::arg("counts"), "How many of the counts are 1, 2, 3 and 4.");
  m.def(
      "kneser_ney_unigrams",
      [](Vector<uint32_t> counts, const Discounts& discounts, InOutVector<float> probs) {
        check_size(probs.size(), counts.size(), "probabilities");
        nb::gil_scoped_release release;
        kneser_ney_unigrams(view(counts), discounts, view(probs));
      },
      nb::arg("counts"), nb::arg("discounts"), nb::arg("probs"),
      "Write the probabilities of all words to `probs`.");
  m.def(
      "kneser_ney",
      [](Matrix<int32_t> ngrams, Vector<int32_t> suffixes, Vector<uint32_t> counts,
         const Discounts& discounts, Vector<float> probs_below, InOutMatrix<double> masses,
         InOutVector<float> probs, InOutVector<float> backoffs_below) {
        if (masses.shape(1) != 2) throw Error("masses are rows of 2");
        const std::span contexts(reinterpret_cast<ContextMass*>(masses.data()), masses.shape(0));
        nb::gil_scoped_release release;
        check_size(counts.size(), ngrams.shape(0), "counts");
        check_size(probs.size(), ngrams.shape(0), "probabilities");
        check_size(contexts.size(), probs_below.size(), "masses");
        check_size(backoffs_below.size(), probs_below.size(), "backoffs");
        check_size(suffixes.size(), ngrams.shape(0), "suffixes");
        kneser_ney(as_ngrams(ngrams), view(suffixes), view(counts), discounts, view(probs_below),
                   contexts, view(probs), view(backoffs_below));
      },
      nb::arg("ngrams"), nb::arg("suffixes"), nb::arg("counts"), nb::arg("discounts"),
      nb::arg("probs_below"), nb::arg("masses"), nb::arg("probs"), nb::arg("backoffs_below"),
      "Write the probabilities of one order and the backoff weights of the order below.");
  m.def(
      "mark_endings",
      [](Matrix<int32_t> above, InOutVector<float> backoffs) {
        nb::gil_scoped_release release;
        mark_endings(as_ngrams(above), view(backoffs));
      },
      nb::arg("above"), nb::arg("backoffs"),
      "Make -0.0 of the zero backoffs of n-grams that nothing continues.");
  m.def(
      "fill_table",
      [](const std::vector<Matrix<int32_t>>& ngrams, Vector<float> log_probs,
         Vector<float> backoffs, InOutMatrix<uint64_t> slots) {
        if (ngrams.empty() || slots.shape(1) != 2 || slots.shape(0) <= ngrams.back().shape(0)) {
          throw Error("a table needs more slots than n-grams");
        }
        check_size(log_probs.size(), ngrams.back().shape(0), "log probabilities");
        if (backoffs.size() > 0) check_size(backoffs.size(), log_probs.size(), "backoffs");
        nb::gil_scoped_release release;
        fill_table(as_lists(ngrams), view(log_probs), view(backoffs),
                   {reinterpret_cast<LmSlot*>(slots.data()), slots.shape(0)});
      },
      nb::arg("ngrams"), nb::arg("log_probs"), nb::arg("backoffs"), nb::arg("slots"),
      "Fill the (zeroed) lookup table of the highest of the listed orders.");
}

void register_model(nb::module_& m) {
  nb::class_<LmState>(m, "LmState", "The shortest history that decides every continuation.")
      .def_prop_ro(
          "words",
          [](const LmState& state) {
            return std::vector<int32_t>(state.words.begin(), state.words.begin() + state.length);
          },
          "The words of the history, the most recent first.")
      .def(
          "__eq__",
          [](const LmState& state, nb::handle other) {
            return nb::isinstance<LmState>(other) && state == nb::cast<const LmState&>(other);
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const LmState& state) { return static_cast<int64_t>(state.hash() >> 2); });

  nb::class_<BoundLanguageModel>(m, "LanguageModelCore", "Lookup in the arrays of a model.")
      .def(nb::init<Matrix<uint32_t>, std::vector<Matrix<uint64_t>>>(), nb::arg("unigrams"),
           nb::arg("tables"))
      .def_prop_ro("order", [](const BoundLanguageModel& model) { return model.view().order(); })
      .def("begin", [](const BoundLanguageModel& model) { return model.view().begin(); },
           "The state after the start of the sentence.")
      .def("empty", [](const BoundLanguageModel& model) { return model.view().empty(); },
           "The state that knows nothing.")
      .def(
          "score",
          [](const BoundLanguageModel& model, const LmState& state, int32_t word) {
            const LanguageModel& lm = model.view();
            if (state.length >= lm.order()) throw Error("the state is one of a longer model");
            LmState out;
            const float log_prob =
                lm.score(state, word < 0 || word >= lm.n_words() ? kUnknownWord : word, out);
            return std::pair(log_prob, out);
          },
          nb::arg("state"), nb::arg("word"), "The log probability of the word and the next state.")
      .def(
          "score_sentences",
          [](const BoundLanguageModel& model, Vector<int32_t> ids, Vector<int64_t> offsets,
             bool each_word, int threads) {
            check_offsets(view(offsets), ids.size(), "words");
            const size_t n = offsets.size() - 1;
            std::vector<double> sums(n);
            std::vector<float> log_probs(each_word ? ids.size() + n : 0);
            std::vector<uint8_t> matched(log_probs.size());
            {
              nb::gil_scoped_release release;
              score_sentences(model.view(), view(ids), view(offsets), threads, sums, log_probs,
                              matched);
            }
            return std::tuple(to_numpy(std::move(sums)), to_numpy(std::move(log_probs)),
                              to_numpy(std::move(matched)));
          },
          nb::arg("ids"), nb::arg("offsets"), nb::arg("each_word"), nb::arg("threads"),
          "Log probabilities of sentences and, if asked, of each word with its n-gram's length.");
}

void register_arpa(nb::module_& m) {
  nb::class_<ArpaReader>(m, "ArpaReader", "ARPA text to lists of n-grams, block by block.")
      .def(nb::init<>())
      .def("feed", &ArpaReader::feed, nb::arg("block"), nb::call_guard<nb::gil_scoped_release>(),
           "Read a block of complete lines.")
      .def("finish", &ArpaReader::finish, nb::call_guard<nb::gil_scoped_release>(),
           "Check that the text is complete.")
      .def_prop_ro("line", &ArpaReader::line, "The number of lines read.")
      .def_prop_ro("order", &ArpaReader::order)
      .def("words",
           [](const ArpaReader& reader) {
             std::vector<std::string_view> words;
             for (int32_t id = 0; id < reader.words().size(); ++id) {
               words.push_back(reader.words().word(id));
             }
             return words;
           },
           "All words by id.")
      .def(
          "ngrams",
          [](const ArpaReader& reader, int n) {
            std::vector<int32_t> rows;
            for (const Ngram& ngram : reader.ngrams(n)) {
              rows.push_back(ngram.context);
              rows.push_back(ngram.word);
            }
            return to_numpy(std::move(rows));
          },
          nb::arg("n"), "Contexts and words, alternating, of the n-grams of order n >= 2.")
      .def(
          "log_probs",
          [](const ArpaReader& reader, int n) { return copy(reader.log_probs(n)); }, nb::arg("n"))
      .def(
          "backoffs",
          [](ArpaReader& reader, int n) {
            return copy(std::span<const float>(reader.backoffs(n)));
          },
          nb::arg("n"));
  m.def(
      "ngram_entries",
      [](const BoundLanguageModel& model, const std::vector<Matrix<int32_t>>& ngrams, int n) {
        const LanguageModel& lm = model.view();
        const NgramLists lists = as_lists(ngrams);
        if (n < 1 || n > lm.order() || lists.size() + 1 != static_cast<size_t>(lm.order())) {
          throw Error("expected the lists of all orders of the model, and one of these");
        }
        const size_t size = n == 1 ? static_cast<size_t>(lm.n_words()) : lists[n - 2].size();
        std::vector<float> log_probs(size), backoffs(size);
        {
          nb::gil_scoped_release release;
          check_lists(lm, lists);
          ngram_entries(lm, lists, n, log_probs, backoffs);
        }
        return std::pair(to_numpy(std::move(log_probs)), to_numpy(std::move(backoffs)));
      },
      nb::arg("model"), nb::arg("ngrams"), nb::arg("n"),
      "The log probabilities and backoffs of the n-grams of order n, in the order of their list.");
  m.def(
      "arpa_lines",
      [](const BoundLanguageModel& model, const std::vector<Matrix<int32_t>>& ngrams,
         const WordTable& words, int n, int64_t first, int64_t last) {
        nb::gil_scoped_release release;
        return arpa_lines(model.view(), as_lists(ngrams), words, n, first, last);
      },
      nb::arg("model"), nb::arg("ngrams"), nb::arg("words"), nb::arg("n"), nb::arg("first"),
      nb::arg("last"), "The ARPA lines of the n-grams of order n from `first` to before `last`.");
}

}  // namespace

void register_lm(nb::module_& m) {
  register_estimation(m);
  register_model(m);
  register_arpa(m);
}

}  // namespace calque::bind
