#include <nanobind/stl/string_view.h>

#include <string>

#include "bind/arrays.h"
#include "bind/register.h"
#include "checks.h"
#include "error.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/edits.h"
#include "metrics/meteor.h"

namespace calque::bind {
namespace {

using Lines = nb::typed<nb::list, nb::str>;
using OutMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

// The lines in a buffer of our own: Python may change its list while the GIL is released.
Texts to_texts(const Lines& lines) {
  Texts texts;
  for (size_t i = 0; i < lines.size(); ++i) {
    Py_ssize_t size = 0;
    const nb::handle line = lines[i];
    const char* bytes =
        PyUnicode_Check(line.ptr()) ? PyUnicode_AsUTF8AndSize(line.ptr(), &size) : nullptr;
    if (bytes == nullptr) {
      PyErr_Clear();
      throw Error("line " + std::to_string(i + 1) + ": expected text that UTF-8 can hold");
    }
    texts.add({bytes, static_cast<size_t>(size)});
  }
  return texts;
}

void check_rows(size_t n_hypotheses, std::span<const int64_t> sentences, size_t n_sentences) {
  if (sentences.size() != n_hypotheses) {
    throw Error("expected one sentence number per hypothesis");
  }
  for (const int64_t sentence : sentences) {
    if (sentence < 0 || static_cast<size_t>(sentence) >= n_sentences) {
      throw Error("sentence " + std::to_string(sentence) + ": the references have " +
                  std::to_string(n_sentences));
    }
  }
}

OutMatrix to_matrix(std::vector<double>&& values, size_t n_rows) {
  auto* kept = new std::vector<double>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return OutMatrix(kept->data(), {n_rows, n_rows == 0 ? 0 : kept->size() / n_rows}, owner);
}

// The rows that `work(texts, sentences)` makes without the GIL.
template <typename Work>
OutMatrix rows(const Lines& hypotheses, const Vector<int64_t>& sentences, size_t n_sentences,
               Work work) {
  const Texts texts = to_texts(hypotheses);
  check_rows(texts.size(), view(sentences), n_sentences);
  std::vector<double> values;
  {
    nb::gil_scoped_release release;
    values = work(texts, view(sentences));
  }
  return to_matrix(std::move(values), texts.size());
}

template <typename References, typename... Options>
void construct(References* self, const Lines& lines, size_t n_sets, Options... options) {
  const Texts texts = to_texts(lines);
  nb::gil_scoped_release release;
  new (self) References(texts, n_sets, options...);
}

}  // namespace

void register_metrics(nb::module_& m) {
  nb::enum_<ReferenceLength>(m, "ReferenceLength", "Which of several reference lengths counts.")
      .value("closest", ReferenceLength::closest)
      .value("shortest", ReferenceLength::shortest)
      .value("average", ReferenceLength::average);
  nb::enum_<EditKind>(m, "EditKind", "What counts as an edit.")
      .value("words", EditKind::words)
      .value("bag", EditKind::bag)
      .value("ter", EditKind::ter);

  nb::class_<NgramReferences>(m, "NgramReferences",
                              "References whose word n-grams are counted: BLEU and NIST.")
      .def("__init__", &construct<NgramReferences, int>, nb::arg("lines"), nb::arg("n_sets"),
           nb::arg("order"), "Reference k of sentence s is line s * n_sets + k.")
      .def(
          "bleu",
          [](const NgramReferences& self, const Lines& hypotheses, Vector<int64_t> sentences,
             ReferenceLength length, bool clip, int n_threads) {
            return rows(hypotheses, sentences, self.n_sentences(), [&](auto& texts, auto which) {
              return self.bleu(texts, which, {.length = length, .clip = clip}, n_threads);
            });
          },
          nb::arg("hypotheses"), nb::arg("sentences"), nb::arg("length"), nb::arg("clip"),
          nb::arg("n_threads"),
          "Per hypothesis: length, reference length, matches and n-grams of each order.")
      .def(
          "weigh", [](NgramReferences& self) { self.weigh(); },
          nb::call_guard<nb::gil_scoped_release>(),
          "Computes the information of n-grams, once before `nist`.")
      .def(
          "nist",
          [](const NgramReferences& self, const Lines& hypotheses, Vector<int64_t> sentences,
             int n_threads) {
            return rows(hypotheses, sentences, self.n_sentences(), [&](auto& texts, auto which) {
              return self.nist(texts, which, n_threads);
            });
          },
          nb::arg("hypotheses"), nb::arg("sentences"), nb::arg("n_threads"),
          "Per hypothesis: information and n-grams of each order, length, mean reference length.");

  nb::class_<ChrfReferences>(m, "ChrfReferences",
                             "References whose character and word n-grams are counted: chrF.")
      .def(
          "__init__",
          [](ChrfReferences* self, const Lines& lines, size_t n_sets, int char_order,
             int word_order, double beta) {
            construct(self, lines, n_sets, ChrfOptions{char_order, word_order, beta});
          },
          nb::arg("lines"), nb::arg("n_sets"), nb::arg("char_order"), nb::arg("word_order"),
          nb::arg("beta"), "Reference k of sentence s is line s * n_sets + k.")
      .def(
          "statistics",
          [](const ChrfReferences& self, const Lines& hypotheses, Vector<int64_t> sentences,
             int n_threads) {
            return rows(hypotheses, sentences, self.n_sentences(), [&](auto& texts, auto which) {
              return self.statistics(texts, which, n_threads);
            });
          },
          nb::arg("hypotheses"), nb::arg("sentences"), nb::arg("n_threads"),
          "Per hypothesis and order: n-grams, those of the best reference, shared ones.");

  nb::class_<EditReferences>(m, "EditReferences", "References as words: error rates.")
      .def("__init__", &construct<EditReferences>, nb::arg("lines"), nb::arg("n_sets"),
           "Reference k of sentence s is line s * n_sets + k.")
      .def(
          "statistics",
          [](const EditReferences& self, const Lines& hypotheses, Vector<int64_t> sentences,
             EditKind kind, int n_threads) {
            return rows(hypotheses, sentences, self.n_sentences(), [&](auto& texts, auto which) {
              return self.statistics(texts, which, kind, n_threads);
            });
          },
          nb::arg("hypotheses"), nb::arg("sentences"), nb::arg("kind"), nb::arg("n_threads"),
          "Per hypothesis: edits and reference length.");

  m.def(
      "meteor_statistics",
      [](Vector<int32_t> ids, Vector<int64_t> offsets, Vector<int64_t> sentences,
         Vector<int32_t> reference_ids, Vector<int64_t> reference_offsets, size_t n_sets,
         Vector<int32_t> stems, Vector<int64_t> synset_offsets, Vector<int32_t> synsets,
         int n_threads) {
        const IdLines hypotheses{view(ids), view(offsets)};
        const IdLines references{view(reference_ids), view(reference_offsets)};
        check_offsets(view(offsets), ids.size(), "hypotheses");
        check_offsets(view(reference_offsets), reference_ids.size(), "references");
        if (n_sets == 0) throw Error("expected at least one set of references");
        const auto check_words = [&](size_t n_words) {
          check_ids(view(ids), static_cast<int64_t>(n_words), "words of the hypotheses");
          check_ids(view(reference_ids), static_cast<int64_t>(n_words), "words of the references");
        };
        if (stems.size() > 0) check_words(stems.size());
        if (synset_offsets.size() > 0) {
          check_words(synset_offsets.size() - 1);
          check_offsets(view(synset_offsets), synsets.size(), "synsets");
        }
        check_rows(hypotheses.size(), view(sentences), references.size() / n_sets);
        std::vector<double> values;
        {
          nb::gil_scoped_release release;
          values = meteor_statistics(hypotheses, view(sentences), references, n_sets,
                                     {view(stems), view(synset_offsets), view(synsets)}, n_threads);
        }
        return to_matrix(std::move(values), hypotheses.size());
      },
      nb::arg("ids"), nb::arg("offsets"), nb::arg("sentences"), nb::arg("reference_ids"),
      nb::arg("reference_offsets"), nb::arg("n_sets"), nb::arg("stems"),
      nb::arg("synset_offsets"), nb::arg("synsets"), nb::arg("n_threads"),
      "Per hypothesis: matches, chunks, length, length of the best reference. Empty `stems` or "
      "`synset_offsets` leave that stage out.");
}

}  // namespace calque::bind
