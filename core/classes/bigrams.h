// The bigrams of a corpus, word by word, and the function of counts that classes are judged by.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace calque {

// A neighbour of a word and how often it stands there.
struct Neighbour {
  int32_t word;
  int32_t count;
};

// Every word's neighbours to the right and to the left. Between two sentences, before the first
// and after the last stands a boundary, the word `n_words`.
class Bigrams {
 public:
  // Throws Error where a word is not in [0, n_words), or the corpus has 2^31 tokens or more.
  Bigrams(std::span<const int32_t> ids, std::span<const int64_t> offsets, int32_t n_words);

  int32_t n_words() const { return n_words_; }
  int32_t count(int32_t word) const { return counts_[static_cast<size_t>(word)]; }
  std::span<const Neighbour> after(int32_t word) const { return row(after_, after_starts_, word); }
  std::span<const Neighbour> before(int32_t word) const {
    return row(before_, before_starts_, word);
  }

 private:
  static std::span<const Neighbour> row(const std::vector<Neighbour>& all,
                                        const std::vector<size_t>& starts, int32_t word) {
    const size_t begin = starts[static_cast<size_t>(word)];
    return {all.data() + begin, starts[static_cast<size_t>(word) + 1] - begin};
  }

  int32_t n_words_;
  std::vector<int32_t> counts_;
  std::vector<Neighbour> after_, before_;
  std::vector<size_t> after_starts_, before_starts_;
};

// n ln n, from a table where n is small, as it nearly always is.
class EntropyTerm {
 public:
  EntropyTerm() : small_(1 << 15) {
    for (size_t n = 1; n < small_.size(); ++n) small_[n] = compute(static_cast<int64_t>(n));
  }
  double operator()(int64_t n) const {
    return static_cast<size_t>(n) < small_.size() ? small_[static_cast<size_t>(n)] : compute(n);
  }

 private:
  static double compute(int64_t n) {
    return static_cast<double>(n) * std::log(static_cast<double>(n));
  }
  std::vector<double> small_;
};

}  // namespace calque
