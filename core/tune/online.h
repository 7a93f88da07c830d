// Learning sentence by sentence: any loss with any update rule, one pass over lists of differences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tune/differences.h"
#include "tune/online_losses.h"
#include "tune/online_updates.h"

namespace calque {

// What candidates are worth: gains by candidate, and how many of the first candidates of each
// sentence are truths (0: any may be the best).
struct Worths {
  std::span<const double> gains;
  std::span<const int64_t> n_truths;
};

// The factors by which weights shrink at every sentence, for a penalty on their squares; 1: none.
struct Shrinkage {
  double dense = 1;
  double sparse = 1;
};

// Weights of the dense features, then of all sparse ones, and what their mean is made of: with
// `times` before and after sentences (dense, sparse), the mean over the sentences up to now is
// (weights * times - lag) / their number. No mean is kept where `lag` is empty.
struct Learned {
  std::span<double> weights;
  std::span<double> lag;
  std::span<double> times;
};

// Moves the weights on the sentences of `order`, one after the other: scores, loss, update. Weights
// that stay are no part of the lists but by `base`. Time is linear in the entries; only weights of
// the sentence at hand are touched. Oracle: tests/test_tune_relevant_set.py.
template <typename Value>
void online_pass(const DifferenceLists<Value>& lists, std::span<const int64_t> order,
                 const Worths& worths, const OnlineLoss& loss, const OnlineUpdate& update,
                 const Shrinkage& shrinkage, const Learned& learned);

// Adds the directions of all sentences under the same weights, for rules that look at whole passes.
// Oracle: tests/test_tune_relevant_set.py.
template <typename Value>
void add_directions(const DifferenceLists<Value>& lists, const Worths& worths, const OnlineLoss& loss,
                    std::span<const double> weights, std::span<double> sum);

// The first candidate of highest score of every sentence.
template <typename Value>
std::vector<int64_t> best_of_differences(const DifferenceLists<Value>& lists,
                                         std::span<const double> weights, int threads);

}  // namespace calque
