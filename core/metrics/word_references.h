// The references of a corpus as word ids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/texts.h"
#include "text/word_table.h"

namespace calque {

// `lines` holds the references of a sentence next to each other: reference k of sentence s is line
// s * n_sets + k.
class WordReferences {
 public:
  WordReferences(const Texts& lines, size_t n_sets) : n_sets_(n_sets) {
    for (size_t i = 0; i < lines.size(); ++i) {
      for_words(lines[i], [&](std::string_view word) { ids_.push_back(words_.add(word)); });
      offsets_.push_back(ids_.size());
    }
  }

  size_t n_sets() const { return n_sets_; }
  size_t n_sentences() const { return (offsets_.size() - 1) / n_sets_; }
  // Ids of reference words are below this.
  size_t n_words() const { return static_cast<size_t>(words_.size()); }
  std::span<const int32_t> reference(size_t sentence, size_t set) const {
    const size_t i = sentence * n_sets_ + set;
    return std::span(ids_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }

  // The ids of a hypothesis in `ids`; words that no reference has become -1, which matches nothing.
  void encode(std::string_view line, std::vector<int32_t>& ids) const {
    ids.clear();
    for_words(line, [&](std::string_view word) { ids.push_back(words_.find(word)); });
  }

 private:
  size_t n_sets_;
  WordTable words_;
  std::vector<int32_t> ids_;
  std::vector<size_t> offsets_{0};
};

}  // namespace calque
