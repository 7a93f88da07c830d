#include "blocks/corpus.h"

#include <string>
#include <utility>

#include "error.h"

namespace calque {
namespace {

void check_offsets(std::span<const int64_t> offsets, int64_t size, const char* what) {
  bool good = !offsets.empty() && offsets.front() == 0 && offsets.back() == size;
  for (size_t i = 1; good && i < offsets.size(); ++i) good = offsets[i - 1] <= offsets[i];
  if (!good) throw Error(std::string("the offsets of the ") + what + " do not delimit them");
}

void check_words(std::span<const int32_t> words, const char* what) {
  for (const int32_t word : words) {
    if (word < 0) throw Error(std::string("a ") + what + " word has a negative id");
  }
}

}  // namespace

void check(const AlignedCorpus& corpus) {
  if (corpus.source_offsets.size() != corpus.target_offsets.size() ||
      corpus.source_offsets.size() != corpus.link_offsets.size()) {
    throw Error("source, target and alignments differ in their number of sentences");
  }
  check_offsets(corpus.source_offsets, static_cast<int64_t>(corpus.source.size()), "source");
  check_offsets(corpus.target_offsets, static_cast<int64_t>(corpus.target.size()), "target");
  check_offsets(corpus.link_offsets, static_cast<int64_t>(corpus.links.size() / 2), "links");
  check_words(corpus.source, "source");
  check_words(corpus.target, "target");
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const SentencePair pair = corpus[i];
    const auto n_source = static_cast<int64_t>(pair.source.size());
    const auto n_target = static_cast<int64_t>(pair.target.size());
    std::pair<int32_t, int32_t> last{-1, -1};
    for (size_t at = 0; at < pair.links.size(); at += 2) {
      const std::pair link{pair.links[at], pair.links[at + 1]};
      const auto show = [&] {
        return "sentence " + std::to_string(i + 1) + ": link " + std::to_string(link.first) + "-" +
               std::to_string(link.second);
      };
      if (link.first < 0 || link.first >= n_source || link.second < 0 || link.second >= n_target) {
        throw Error(show() + " lies outside its " + std::to_string(n_source) + " source and " +
                    std::to_string(n_target) + " target words");
      }
      if (link <= last) throw Error(show() + " is out of order: expected sorted, distinct links");
      last = link;
    }
  }
}

}  // namespace calque
