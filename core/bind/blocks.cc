#include "bind/blocks.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>

#include "bind/arrays.h"
#include "bind/register.h"
#include "bind/runs.h"
#include "blocks/corpus.h"
#include "blocks/extract.h"
#include "blocks/fallback.h"
#include "blocks/link_counts.h"
#include "blocks/phrases.h"
#include "blocks/prefix_index.h"
#include "blocks/score.h"
#include "checks.h"
#include "error.h"

namespace calque::bind {
namespace {

template <typename T>
using Rows = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> named(const nb::dict& arrays, const char* name) {
  if (!arrays.contains(name)) throw Error(std::string("the block table lacks the array ") + name);
  Rows<T> rows;
  // Without conversion: a converted copy would not outlive this function.
  if (!nb::try_cast<Rows<T>>(arrays[name], rows, false)) {
    throw Error(std::string("the block table's array ") + name + " has the wrong type or layout");
  }
  return view(rows);
}

struct BoundPhrases {
  BoundPhrases(Vector<int32_t> words, Vector<int64_t> offsets, int max_words,
               InOutMatrix<uint32_t> ids)
      : words(words) {
    if (max_words < 1 || max_words > kMaxWords) throw Error("phrases have one to eight words");
    if (ids.size() != words.size() * static_cast<size_t>(max_words)) {
      throw Error("ids need one row of words per phrase length");
    }
    nb::gil_scoped_release release;
    check_offsets(view(offsets), words.size(), "words");
    check_ids(view(words), "words");
    numbered = number_phrases(view(words), view(offsets), max_words, view(ids));
    phrases = {view(this->words), numbered.examples, numbered.first_ids};
  }
  // Phrases that come numbered: in order of (length, words), each once.
  BoundPhrases(Vector<int32_t> words, Vector<int64_t> offsets) : words(words) {
    nb::gil_scoped_release release;
    check_offsets(view(offsets), words.size(), "phrases");
    numbered = numbered_phrases(view(words), view(offsets));
    phrases = {view(this->words), numbered.examples, numbered.first_ids};
  }
  // Phrases that were numbered elsewhere.
  BoundPhrases(Vector<int32_t> words, Vector<uint32_t> examples, Vector<int64_t> first_ids)
      : words(words), examples(examples), first_ids(first_ids),
        phrases{view(words), view(examples), view(first_ids)} {
    nb::gil_scoped_release release;
    check_ids(view(words), "words");
    check(phrases);
  }
  Vector<int32_t> words;  // kept alive, as are the next two
  Vector<uint32_t> examples;
  Vector<int64_t> first_ids;
  NumberedPhrases numbered;
  Phrases phrases;
};

// An array of the object's own, which it keeps alive.
template <typename T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>> readable(nb::handle self,
                                                      std::span<const T> Phrases::*array) {
  const std::span<const T> values = nb::cast<const BoundPhrases&>(self).phrases.*array;
  return {values.data(), {values.size()}, self};
}

SortedRun to_run(const Matrix<uint64_t>& run) {
  if (run.shape(1) != 3) throw Error("a run has three columns");
  return {reinterpret_cast<const Record*>(run.data()), run.shape(0)};
}

std::pair<RunMatrix, int64_t> extract_run(const BoundCorpus& corpus, Matrix<uint32_t> source_ids,
                                          Matrix<uint32_t> target_ids, int64_t first, int64_t last,
                                          int64_t max_records, InOutVector<uint32_t> target_counts) {
  Extracted out;
  {
    nb::gil_scoped_release release;
    out = extract(corpus.corpus, {view(source_ids), view(target_ids)},
                  static_cast<int>(source_ids.shape(0)), first, last, max_records,
                  view(target_counts));
  }
  return {to_matrix(std::move(out.run)), out.next_sentence};
}

NamedArrays score(const std::vector<Matrix<uint64_t>>& runs, uint64_t first_source,
               uint64_t last_source, const BoundPhrases& sources, const BoundPhrases& targets,
               Vector<uint32_t> target_counts, const LinkCounts& links, int64_t max_targets,
               int64_t min_count, double min_log_prob, bool oriented) {
  std::vector<SortedRun> views;
  for (const auto& run : runs) views.push_back(to_run(run));
  ScoredBlocks blocks;
  {
    nb::gil_scoped_release release;
    blocks = score_blocks(views, first_source, last_source, sources.phrases, targets.phrases,
                          view(target_counts), links, {max_targets, min_count, min_log_prob},
                          oriented);
  }
  NamedArrays out;
  out["source_ids"] = to_numpy(std::move(blocks.source_ids));
  out["source_counts"] = to_numpy(std::move(blocks.source_counts));
  out["n_blocks"] = to_numpy(std::move(blocks.n_blocks));
  out["target_ids"] = to_numpy(std::move(blocks.target_ids));
  out["joint_counts"] = to_numpy(std::move(blocks.joint_counts));
  out["scores"] = to_numpy(std::move(blocks.scores));
  out["orientation"] = to_numpy(std::move(blocks.orientation));
  out["links"] = to_numpy(std::move(blocks.links));
  out["n_links"] = to_numpy(std::move(blocks.n_links));
  return out;
}

OutVector<int32_t> lengths_of(const BoundPhrases& bound, Vector<uint32_t> ids) {
  std::vector<int32_t> out;
  {
    nb::gil_scoped_release release;
    out = lengths(bound.phrases, view(ids));
  }
  return to_numpy(std::move(out));
}

std::pair<OutVector<int32_t>, OutVector<uint8_t>> find_partners(Vector<int32_t> words,
                                                               const BoundCorpus& corpus,
                                                               const LinkCounts& links) {
  std::vector<int32_t> found;
  std::vector<uint8_t> linked;
  {
    nb::gil_scoped_release release;
    for (const Partner& partner : partners(view(words), corpus.corpus, links)) {
      found.push_back(partner.word);
      linked.push_back(partner.linked);
    }
  }
  return {to_numpy(std::move(found)), to_numpy(std::move(linked))};
}

std::tuple<OutVector<uint32_t>, OutVector<uint32_t>, OutVector<int64_t>> pairs_of(
    const LinkCounts& links) {
  std::vector<uint32_t> sources, targets;
  std::vector<int64_t> counts;
  links.for_each([&](uint32_t source, uint32_t target, int64_t count) {
    sources.push_back(source);
    targets.push_back(target);
    counts.push_back(count);
  });
  return {to_numpy(std::move(sources)), to_numpy(std::move(targets)), to_numpy(std::move(counts))};
}

}  // namespace

BoundCorpus::BoundCorpus(Vector<int32_t> source_words, Vector<int64_t> source_ends,
                         Vector<int32_t> target_words, Vector<int64_t> target_ends,
                         Matrix<int32_t> link_rows, Vector<int64_t> link_ends)
    : source(source_words), target(target_words), source_offsets(source_ends),
      target_offsets(target_ends), link_offsets(link_ends), links(link_rows),
      corpus{view(source), view(source_offsets), view(target),
             view(target_offsets), view(links), view(link_offsets)} {
  if (links.shape(1) != 2) throw Error("links have two columns: source and target position");
  check(corpus);
}

BoundBlockTable::BoundBlockTable(NamedArrays named_arrays)
    : arrays(nb::borrow<NamedArrays>(named_arrays.attr("copy")())),
      table{named<int32_t>(arrays, "source_words"),
            named<int64_t>(arrays, "source_offsets"),
            named<int32_t>(arrays, "source_counts"),
            named<int64_t>(arrays, "block_offsets"),
            named<int32_t>(arrays, "target_words"),
            named<int64_t>(arrays, "target_offsets"),
            named<int32_t>(arrays, "target_counts"),
            named<int32_t>(arrays, "target_phrase"),
            named<int32_t>(arrays, "joint_counts"),
            named<float>(arrays, "scores"),
            named<float>(arrays, "orientation"),
            named<uint8_t>(arrays, "links"),
            named<int64_t>(arrays, "link_offsets"),
            named<int32_t>(arrays, "slots"),
            0} {
  const int64_t n = table.n_sources();
  if (n > 0) {  // sorted by length: the last phrase is the longest
    table.max_source_words =
        static_cast<int>(table.source_offsets[n] - table.source_offsets[n - 1]);
  }
}

void register_blocks(nb::module_& m) {
  nb::class_<BoundBlockTable>(m, "BlockTable", "A view of a block table's arrays for the kernels.")
      .def(nb::init<NamedArrays>(), nb::arg("arrays"))
      .def(
          "find",
          [](const BoundBlockTable& self, Vector<int32_t> words) {
            return self.table.find(view(words));
          },
          nb::arg("words"), "The index of a source phrase, or -1.");
  nb::class_<BoundCorpus>(m, "AlignedCorpus", "Two sides and their links, checked.")
      .def(nb::init<Vector<int32_t>, Vector<int64_t>, Vector<int32_t>, Vector<int64_t>,
                    Matrix<int32_t>, Vector<int64_t>>(),
           nb::arg("source"), nb::arg("source_offsets"), nb::arg("target"),
           nb::arg("target_offsets"), nb::arg("links"), nb::arg("link_offsets"));
  nb::class_<BoundPhrases>(m, "Phrases", "All phrases of one side, numbered by (length, word ids).")
      .def(nb::init<Vector<int32_t>, Vector<int64_t>, int, InOutMatrix<uint32_t>>(), nb::arg("words"),
           nb::arg("offsets"), nb::arg("max_words"), nb::arg("ids"),
           "Fills `ids` (max_words rows, one entry per word).")
      .def(nb::init<Vector<int32_t>, Vector<int64_t>>(), nb::arg("words"), nb::arg("offsets"),
           "Phrases that are given in order of (length, word ids), each once.")
      .def(nb::init<Vector<int32_t>, Vector<uint32_t>, Vector<int64_t>>(), nb::arg("words"),
           nb::arg("examples"), nb::arg("first_ids"), "Phrases from the arrays of others.")
      .def_prop_ro(
          "words", [](nb::handle self) { return readable(self, &Phrases::words); },
          "The words that the phrases lie in.")
      .def_prop_ro(
          "examples",
          [](nb::handle self) { return readable(self, &Phrases::examples); },
          "Per phrase, a position among the words where it occurs.")
      .def_prop_ro(
          "first_ids", [](nb::handle self) { return readable(self, &Phrases::first_ids); },
          "The first phrase of one word, of two words, and so on, and the number of phrases.")
      .def("__len__", [](const BoundPhrases& self) { return self.phrases.examples.size(); })
      .def_prop_ro(
          "n_words", [](const BoundPhrases& self) { return self.phrases.first_ids[1]; },
          "The number of phrases of one word, which have the first ids.")
      .def("lengths", &lengths_of, nb::arg("ids"), "The number of words of each of these phrases.")
      .def(
          "gather",
          [](const BoundPhrases& self, Vector<uint32_t> ids, InOutVector<int32_t> words) {
            nb::gil_scoped_release release;
            gather(self.phrases, view(ids), view(words));
          },
          nb::arg("ids"), nb::arg("words"),
           "Fills `words` with the words of these phrases, one after the other.");
  nb::class_<LinkCounts>(m, "LinkCounts", "How often words are linked, the null word included.")
      .def(
          "__init__",
          [](LinkCounts* self, const BoundCorpus& corpus) {
            nb::gil_scoped_release release;
            new (self) LinkCounts(corpus.corpus);
          },
          nb::arg("corpus"))
      .def(
          "__init__",
          [](LinkCounts* self, Vector<uint32_t> sources, Vector<uint32_t> targets,
             Vector<int64_t> counts) {
            check_size(sources.size(), counts.size(), "source words of links");
            check_size(targets.size(), counts.size(), "target words of links");
            nb::gil_scoped_release release;
            new (self) LinkCounts(view(sources), view(targets), view(counts));
          },
          nb::arg("sources"), nb::arg("targets"), nb::arg("counts"))
      .def("pairs", &pairs_of,
           "All pairs, in no particular order: source words, target words and counts.")
      .def("count", &LinkCounts::count, nb::arg("source"), nb::arg("target"),
           "The number of links of two words; 2^32 - 1 is the null word.");
  m.def("extract_run", &extract_run, nb::arg("corpus"), nb::arg("source_ids"),
        nb::arg("target_ids"), nb::arg("first"), nb::arg("last"), nb::arg("max_records"),
        nb::arg("target_counts"),
        "The counted blocks of sentence pairs first..last, and the pair to go on with.");
  m.def("score_blocks", &score, nb::arg("runs"), nb::arg("first_source"), nb::arg("last_source"),
        nb::arg("sources"), nb::arg("targets"), nb::arg("target_counts"), nb::arg("links"),
        nb::arg("max_targets"), nb::arg("min_count"), nb::arg("min_log_prob"), nb::arg("oriented"),
        "Scored, pruned, sorted blocks of the source phrases first..last.");
  m.def("partners", &find_partners, nb::arg("words"), nb::arg("corpus"), nb::arg("links"),
        "The target word for each source word (-1: none) and whether it was linked.");
  m.def("n_slots", &n_slots, nb::arg("n_sources"), "The size of the hash index, in slots.");
  m.def(
      "index_sources",
      [](Vector<int32_t> words, Vector<int64_t> offsets, InOutVector<int32_t> slots) {
        nb::gil_scoped_release release;
        check_offsets(view(offsets), words.size(), "source phrases");
        index_sources(view(words), view(offsets), view(slots));
      },
      nb::arg("words"), nb::arg("offsets"), nb::arg("slots"),
      "Fills the hash index of source phrases.");
  register_rules(m);
  m.def(
      "index_prefixes",
      [](Vector<int32_t> words, Vector<int64_t> offsets) {
        PrefixArrays trie;
        {
          nb::gil_scoped_release release;
          check_filled_offsets(view(offsets), words.size(), "source phrases");
          trie = index_prefixes(view(words), view(offsets));
        }
        return std::tuple(to_numpy(std::move(trie.symbols)), to_numpy(std::move(trie.first_child)),
                          to_numpy(std::move(trie.phrases)));
      },
      nb::arg("words"), nb::arg("offsets"),
      "The trie over source phrases, which are sorted by length and symbols: the symbol that leads "
      "to each node, where the children of each begin, and the phrase that ends there, or -1.");
  register_moses(m);
}

}  // namespace calque::bind
