// Expected worth of lists of candidates under the posterior of a log-linear model, its derivatives,
// and steps along them (He & Deng 2012, Wuebker et al. 2015).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tune/differences.h"
#include "tune/gradient_updates.h"

namespace calque {

// What each candidate is worth, such as its sentence BLEU, and the factor of all scores in the
// posterior: p(candidate) is in proportion to exp(scale * score).
struct Posterior {
  std::span<const double> worths;
  double scale;
};

// What a pass finds of sentences in a row, each on its own: nothing is added up over sentences, so
// that it may be found anywhere. `sparse` are by the features of every sentence, side by side.
struct SentenceWorths {
  std::vector<double> means;   // expected worth of the candidates of a sentence
  std::vector<double> dense;   // derivatives, a row per sentence
  std::vector<double> sparse;  // derivatives
};

// Those of the sentences from `first` up to `last`; derivatives only with `derive`. What rounding
// leaves of terms that cancel within a sentence is 0. Time is linear in the entries.
template <typename Value>
SentenceWorths sentence_worths(const DifferenceLists<Value>& lists, const Posterior& posterior,
                               std::span<const double> weights, int64_t first, int64_t last,
                               bool derive, int threads);

// Adds the derivatives of sentences to a gradient (dense features first), one sentence after the
// other; `features` are theirs, side by side, ascending in each: those of sentence s are from
// offsets[s] - offsets[0] to offsets[s + 1] - offsets[0]. Threads change no bit.
void add_derivatives(std::span<const double> dense, std::span<const double> sparse,
                     std::span<const int64_t> offsets, std::span<const int32_t> features,
                     size_t n_dense, std::span<double> gradient, int threads);

// The sum over all sentences of the expected worth of their candidates. Its derivatives by the
// weights (dense features first) are added to `gradient`, if that is not empty. Sums over sentences go
// by their order: neither the number of threads nor where the lists lie changes a bit.
// Oracle: tests/test_tune_expected_bleu.py (finite differences, a slow reference).
template <typename Value>
double expected_worth(const DifferenceLists<Value>& lists, const Posterior& posterior,
                      std::span<const double> weights, int threads, std::span<double> gradient);

// How one pass of small steps moves weights.
struct SmallSteps {
  size_t batch;   // sentences whose mean gradient makes a step
  double factor;  // of that gradient
  double l2;      // weight of the squared norm of the penalised weights that a step touches
  std::span<const uint8_t> moving;     // by weight: whether it may move
  std::span<const uint8_t> penalised;  // by weight: whether penalties are for it
};

// Moves the weights after every batch of sentences of `order` and gives the sum of the expected
// worths, each under the weights that its sentence met. Only weights of features of the batch are
// touched, and only these are penalised.
template <typename Value>
double small_steps(const DifferenceLists<Value>& lists, const Posterior& posterior,
                   std::span<const int64_t> order, const SmallSteps& steps,
                   const GradientUpdate& update, std::span<double> weights);

}  // namespace calque
