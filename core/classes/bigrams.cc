#include "classes/bigrams.h"

#include <algorithm>
#include <limits>

#include "error.h"

namespace calque {

Bigrams::Bigrams(std::span<const int32_t> ids, std::span<const int64_t> offsets, int32_t n_words)
    : n_words_(n_words),
      counts_(static_cast<size_t>(n_words) + 1),
      after_starts_(static_cast<size_t>(n_words) + 2),
      before_starts_(static_cast<size_t>(n_words) + 2) {
  const size_t n_sentences = offsets.size() - 1;
  if (ids.size() + n_sentences >= static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    throw Error("word classes: the corpus is too long, expected fewer than 2^31 words");
  }
  std::vector<uint64_t> pairs;  // left word in the upper half, right word in the lower
  pairs.reserve(ids.size() + n_sentences);
  const auto boundary = static_cast<uint64_t>(n_words);
  for (size_t s = 0; s < n_sentences; ++s) {
    uint64_t left = boundary;
    for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      const int32_t word = ids[static_cast<size_t>(i)];
      if (word < 0 || word >= n_words) throw Error("word classes: a word is not in the vocabulary");
      pairs.push_back(left << 32 | static_cast<uint64_t>(word));
      left = static_cast<uint64_t>(word);
    }
    pairs.push_back(left << 32 | boundary);
  }
  std::sort(pairs.begin(), pairs.end());

  for (size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    while (end < pairs.size() && pairs[end] == pairs[begin]) ++end;
    const size_t left = pairs[begin] >> 32, right = pairs[begin] & 0xffffffff;
    const auto count = static_cast<int32_t>(end - begin);
    after_.push_back({static_cast<int32_t>(right), count});
    ++after_starts_[left + 1];
    ++before_starts_[right + 1];
    counts_[left] += count;
  }
  for (size_t word = 0; word <= static_cast<size_t>(n_words); ++word) {
    after_starts_[word + 1] += after_starts_[word];
    before_starts_[word + 1] += before_starts_[word];
  }
  before_.resize(after_.size());
  std::vector<size_t> next(before_starts_.begin(), before_starts_.end() - 1);
  for (int32_t left = 0; left <= n_words; ++left) {
    for (const auto [right, count] : after(left)) {
      before_[next[static_cast<size_t>(right)]++] = {left, count};
    }
  }
}

}  // namespace calque
