#include "decode/chart/matches.h"

#include <algorithm>

namespace calque {

void Matcher::begin(std::span<const int32_t> words, std::span<const uint8_t> blocked, int max_span) {
  // A boundary of sentences in the text is a word that no rule knows, not a gap.
  words_.assign(words.begin(), words.end());
  for (int32_t& word : words_) {
    if (is_gap(word)) word = PrefixIndex::kNone;
  }
  blocked_ = blocked;
  max_span_ = max_span;
  gap_node_ = index_.gap_child(PrefixIndex::kRoot);
  first_nodes_.clear();
  gap_nodes_.clear();
  for (const int32_t word : words_) {
    first_nodes_.push_back(index_.child(PrefixIndex::kRoot, word));
    gap_nodes_.push_back(gap_node_ == PrefixIndex::kNone ? gap_node_ : index_.child(gap_node_, word));
  }
  matches_.resize(static_cast<size_t>(std::min(static_cast<int>(words.size()), max_span)));
}

}  // namespace calque
