#include "blocks/corpus.h"

#include <string>
#include <utility>

#include "checks.h"
#include "error.h"

namespace calque {

void check(const AlignedCorpus& corpus) {
  if (corpus.source_offsets.size() != corpus.target_offsets.size() ||
      corpus.link_offsets.size() < corpus.source_offsets.size() ||
      corpus.link_offsets.size() !=
          static_cast<size_t>(corpus.n_sets() * corpus.size()) + 1) {
    throw Error("source, target and alignments differ in their number of sentences");
  }
  check_offsets(corpus.source_offsets, corpus.source.size(), "source words");
  check_offsets(corpus.target_offsets, corpus.target.size(), "target words");
  check_offsets(corpus.link_offsets, corpus.links.size() / 2, "links");
  check_ids(corpus.source, "source words");
  check_ids(corpus.target, "target words");
  for (int64_t row = 0; row < corpus.n_sets() * corpus.size(); ++row) {
    const int64_t i = row % corpus.size();
    const SentencePair pair = corpus.pair(i, row / corpus.size());
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
