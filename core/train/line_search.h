// How corpus statistics change along a line in the space of weights (Och 2003).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace calque {

// Candidates of many sentences: those of sentence s are offsets[s] .. offsets[s + 1], never none.
// `features` and `statistics` have one row per candidate.
struct CandidateLists {
  std::span<const int64_t> offsets;
  std::span<const double> features;
  size_t n_features;
  std::span<const double> statistics;
  size_t n_statistics;

  size_t n_sentences() const { return offsets.size() - 1; }
  size_t n_candidates() const { return static_cast<size_t>(offsets.back()); }
};

// The line cut into intervals in which every sentence keeps its best candidate: interval i lies
// between breakpoints i - 1 and i (ascending, distinct), and row i of `statistics` is the sum over
// the best candidates there. One row more than breakpoints.
struct LineIntervals {
  std::vector<double> breakpoints;
  std::vector<double> statistics;
};

// The upper envelopes of candidates along lines. A candidate of score a and slope b scores
// a + gamma * b at gamma; of equal candidates the first wins. Along an axis the order of slopes
// does not depend on the weights: it is sorted once, here, so that a search is linear.
// Oracle: tests/test_train_line_search.py.
class LineSearch {
 public:
  // The memory of the lists stays the caller's.
  LineSearch(const CandidateLists& lists, int threads);

  // Along the axis of one feature, from a point where the candidates score `scores`.
  LineIntervals along_axis(std::span<const double> scores, size_t feature, int threads) const;
  // Along a direction in which the candidates have these slopes.
  LineIntervals along(std::span<const double> scores, std::span<const double> slopes,
                      int threads) const;

  const CandidateLists& lists() const { return lists_; }

 private:
  LineIntervals search(std::span<const double> scores, std::span<const double> slopes,
                       const int32_t* order, int threads) const;

  CandidateLists lists_;
  std::vector<double> columns_;  // the features, one column after the other
  std::vector<int32_t> orders_;  // per feature and sentence: candidates by ascending value
};

// The first candidate of highest score of every sentence, as a row of the lists.
std::vector<int64_t> best_candidates(std::span<const int64_t> offsets,
                                     std::span<const double> scores);

}  // namespace calque
