#include "decode/reference_ngrams.h"

#include <algorithm>

namespace calque {

ReferenceNgrams::ReferenceNgrams(std::span<const std::span<const int32_t>> references) {
  for (const auto reference : references) {
    lengths_.push_back(static_cast<int>(reference.size()));
    for (const int32_t word : reference) {
      if (words_.emplace(word, static_cast<int32_t>(n_words_)).second) ++n_words_;
    }
  }
  nodes_.resize(1);
  next_.assign(n_words_, 0);
  for (const auto reference : references) add(reference);
  connect();
}

// The n-grams of a reference, as a tree: 0 stands for "no such n-gram" until they are connected.
void ReferenceNgrams::add(std::span<const int32_t> reference) {
  std::vector<uint8_t> counts(nodes_.size());
  for (size_t begin = 0; begin < reference.size(); ++begin) {
    const auto ngram = reference.subspan(begin, std::min<size_t>(kOrder, reference.size() - begin));
    int32_t node = 0;
    for (const int32_t target_word : ngram) {
      const int32_t word = this->word(target_word);
      if (next(node, word) == 0) {
        next(node, word) = static_cast<int32_t>(nodes_.size());
        const int order = this->order(node) + 1;
        nodes_.push_back({0, 0, static_cast<uint8_t>(order), 0});
        next_.resize(next_.size() + n_words_, 0);
        counts.push_back(0);
      }
      node = next(node, word);
      uint8_t& count = counts[static_cast<size_t>(node)];
      if (count < UINT8_MAX) ++count;
    }
  }
  for (size_t node = 0; node < nodes_.size(); ++node) {
    nodes_[node].count = std::max(nodes_[node].count, counts[node]);
  }
}

// Shorter n-grams first: what an n-gram cannot be continued by, its suffix may.
void ReferenceNgrams::connect() {
  std::vector<int32_t> level{0};
  while (!level.empty()) {
    std::vector<int32_t> longer;
    for (const int32_t node : level) {
      bool goes_on = false;
      for (size_t at = 1; at < n_words_; ++at) {
        const auto word = static_cast<int32_t>(at);
        const int32_t after_suffix = node == 0 ? 0 : read(suffix(node), word);
        int32_t& child = next(node, word);
        if (child == 0) {
          child = after_suffix;
        } else {
          nodes_[static_cast<size_t>(child)].suffix = after_suffix;
          longer.push_back(child);
          goes_on = true;
        }
      }
      Node& self = nodes_[static_cast<size_t>(node)];
      self.context = goes_on ? node : nodes_[static_cast<size_t>(self.suffix)].context;
    }
    level = std::move(longer);
  }
}

}  // namespace calque
