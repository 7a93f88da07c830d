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
// the best candidates there, one column after the other. One row more than breakpoints. Where the
// best candidate changes to one of equal statistics, there is no breakpoint.
struct LineIntervals {
  std::vector<double> breakpoints;
  std::vector<double> statistics;
};

// The upper envelopes of candidates along lines through one point, which moves. A candidate that
// scores a at the point and b in the direction scores a + gamma * b at gamma; of equal candidates
// the first wins. Nothing here depends on the number of threads.
// Oracle: tests/test_tune_line_search.py.
class LineSearch {
 public:
  // Copies what it needs of the lists, of which there may be as many as 32 bits count.
  LineSearch(const CandidateLists& lists, int threads);

  // Makes these weights, one per feature, the point. To be called before everything else.
  void start(std::span<const double> weights);
  // The sum of the statistics of the best candidates at the point.
  std::vector<double> statistics() const;
  // How the sum changes along a direction, one number per feature.
  LineIntervals along(std::span<const double> direction);
  // Moves the point by gamma times the last direction.
  void move(double gamma);

  size_t n_features() const { return n_features_; }
  size_t n_statistics() const { return n_statistics_; }

 private:
  // From `gamma` on a sentence has the statistics `after` and no longer `before`.
  struct Change {
    double gamma;
    int32_t before, after;
  };

  size_t n_sentences() const { return offsets_.size() - 1; }
  const double* distinct(int32_t which) const {
    return distinct_.data() + static_cast<size_t>(which) * n_statistics_;
  }
  void project(std::span<const double> direction, size_t first, size_t last, double* out) const;
  void find_tops(size_t begin, size_t end);
  LineIntervals summed(const std::vector<Change>& changes, std::vector<double> sum) const;

  std::vector<size_t> offsets_;
  size_t n_features_, n_statistics_;
  int threads_;
  std::vector<double> columns_;   // the features, one column after the other
  std::vector<double> distinct_;  // different rows of statistics: few, so they stay in the cache
  std::vector<int32_t> which_;    // of the rows is that of a candidate
  std::vector<double> scores_;    // of the candidates at the point
  std::vector<double> slopes_;    // of the candidates in the last direction
  std::vector<int32_t> tops_;     // per sentence: the best at the point, counted from its first
};

// The first candidate of highest score of every sentence, as a row of the lists.
std::vector<int64_t> best_candidates(std::span<const int64_t> offsets,
                                     std::span<const double> scores);

}  // namespace calque
