#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.h"
#include "bind/register.h"
#include "checks.h"
#include "text/encode.h"
#include "text/overlap.h"
#include "text/word_table.h"

namespace calque::bind {
namespace {

std::pair<OutVector<int32_t>, OutVector<int64_t>> to_pair(Sentences&& sentences) {
  return {to_numpy(std::move(sentences.ids)), to_numpy(std::move(sentences.offsets))};
}

}  // namespace

void register_text(nb::module_& m) {
  nb::class_<WordTable>(m, "WordTable", "Words and their ids, dense from 0 in order of addition.")
      .def(nb::init<>())
      .def("__len__", &WordTable::size)
      .def("find", nb::overload_cast<std::string_view>(&WordTable::find, nb::const_), nb::arg("word"),
           "The id of the word, or -1.")
      .def("add", nb::overload_cast<std::string_view>(&WordTable::add), nb::arg("word"),
           "The id of the word, added if it is new.")
      .def(
          "word",
          [](const WordTable& words, int32_t id) {
            if (id < 0 || id >= words.size()) throw nb::index_error("no word has this id");
            return words.word(id);
          },
          nb::arg("id"), "The word with this id.");
  m.def(
      "encode",
      [](std::string_view text, const WordTable& words, int32_t unknown) {
        Sentences sentences;
        {
          nb::gil_scoped_release release;
          sentences = encode(text, words, unknown);
        }
        return to_pair(std::move(sentences));
      },
      nb::arg("text"), nb::arg("words"), nb::arg("unknown"),
      "Ids (int32) and sentence offsets (int64) of lines of words; absent words become `unknown`.");
  m.def(
      "encode_growing",
      [](std::string_view text, WordTable& words) {
        Sentences sentences;
        {
          nb::gil_scoped_release release;
          sentences = encode_growing(text, words);
        }
        return to_pair(std::move(sentences));
      },
      nb::arg("text"), nb::arg("words"),
      "Ids (int32) and sentence offsets (int64) of lines of words; absent words join `words`.");
  m.def(
      "hash_texts",
      [](const std::vector<std::string_view>& texts) {
        std::vector<uint64_t> hashes;
        hashes.reserve(texts.size());
        for (const std::string_view text : texts) hashes.push_back(hash_bytes(text));
        return to_numpy(std::move(hashes));
      },
      nb::arg("texts"), "The hash (uint64) of each text's UTF-8 bytes, the same on every machine.");
  m.def(
      "find_overlap",
      [](Vector<int32_t> ids, Vector<int64_t> offsets, Vector<int32_t> test_ids,
         Vector<int64_t> test_offsets, int32_t max_words, int64_t times) {
        std::vector<uint8_t> keep;
        {
          nb::gil_scoped_release release;
          check_offsets(view(offsets), ids.size(), "words");
          check_offsets(view(test_offsets), test_ids.size(), "words of the test sentences");
          keep = find_overlap(view(ids), view(offsets), view(test_ids), view(test_offsets),
                              {.max_words = max_words, .times = times});
        }
        return to_numpy(std::move(keep));
      },
      nb::arg("ids"), nb::arg("offsets"), nb::arg("test_ids"), nb::arg("test_offsets"),
      nb::arg("max_words"), nb::arg("times"),
      "Flags (uint8) of the sentences that share a substring of up to `max_words` words with the "
      "test sentences; with `times` > 0 only until each is in that many flagged sentences.");
}

}  // namespace calque::bind
