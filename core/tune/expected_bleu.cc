#include "tune/expected_bleu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "parallel.h"

namespace calque {

namespace {

// Sentences whose derivatives are kept apart until they are added up, and of a piece of work.
constexpr int64_t kSentencesTogether = 2048;
constexpr size_t kSentencesAtOnce = 16;
// A sum that is smaller than this share of its terms is what rounding left of nothing.
constexpr double kDust = 1e-13;
constexpr size_t kAhead = 32;

// The derivatives of one sentence, by dense feature and by place among its sparse ones.
struct SentenceGradient {
  std::span<double> dense;
  std::span<double> sparse;
};

// Looks at one sentence after the other; owns the scratch memory that this takes.
template <typename Value>
class Expectation {
 public:
  Expectation(const DifferenceLists<Value>& lists, const Posterior& posterior,
              std::span<const double> weights)
      : lists_(lists), posterior_(posterior), weights_(weights) {}

  // The expected worth of the candidates of a sentence. Meanwhile the weights of the next one are
  // fetched, which lie anywhere in memory.
  double look(int64_t sentence, int64_t next) {
    first_ = lists_.offsets[sentence];
    masked_ = lists_.masked_of(sentence);
    score(sentence, next);
    const auto factors = own_factors();
    const auto worths = posterior_.worths.subspan(static_cast<size_t>(first_), factors.size());
    const auto [lowest, highest] = std::minmax_element(worths.begin(), worths.end());
    has_choice_ = *lowest != *highest;
    if (!has_choice_) return *lowest;
    const double most = *std::max_element(factors.begin(), factors.end());
    double total = 0, mean = 0;
    for (double& factor : factors) total += factor = std::exp(posterior_.scale * (factor - most));
    for (size_t i = 0; i < factors.size(); ++i) mean += (factors[i] /= total) * worths[i];
    for (size_t i = 0; i < factors.size(); ++i) factors[i] *= posterior_.scale * (worths[i] - mean);
    return mean;
  }

  // The derivatives of what `look` gave last.
  void derive(const SentenceGradient& gradient) {
    std::ranges::fill(gradient.dense, 0.0);
    std::ranges::fill(gradient.sparse, 0.0);
    if (!has_choice_) return;
    double size = 0;
    sizes_.assign(gradient.dense.size() + (kHasSizes ? gradient.sparse.size() : 0), 0.0);
    const auto factors = own_factors();
    for (size_t i = 0; i < factors.size(); ++i) {
      const double factor = factors[i];
      if (factor == 0) continue;
      size += std::abs(factor);
      add_row(first_ + static_cast<int64_t>(i), factor, gradient);
    }
    masked_sums_.add(masked_, factors_, gradient.sparse);
    for (size_t d = 0; d < gradient.dense.size(); ++d) sweep(gradient.dense[d], sizes_[d]);
    for (size_t i = 0; i < gradient.sparse.size(); ++i) {
      sweep(gradient.sparse[i], kHasSizes ? sizes_[gradient.dense.size() + i] : size);
    }
  }

 private:
  // Counts are of the size of 1, other values of any size.
  static constexpr bool kHasSizes = std::is_floating_point_v<Value>;

  std::span<double> own_factors() { return std::span(factors_).first(n_candidates_); }

  static void sweep(double& sum, double size) {
    if (std::abs(sum) <= kDust * size) sum = 0;
  }

  void score(int64_t sentence, int64_t next) {
    const double* sparse = weights_.data() + lists_.n_dense;
    const auto own = lists_.features_of(sentence), coming = lists_.features_of(next);
    local_.resize(own.size());
    for (size_t i = 0; i < own.size(); ++i) local_[i] = sparse[own[i]];
    n_candidates_ = static_cast<size_t>(lists_.offsets[sentence + 1] - first_);
    const auto masked = masked_sums_.scores(masked_, local_);
    factors_.assign(8 * masked_.masks.n_bytes, 0.0);
    size_t fetched = 0;
    for (size_t i = 0; i < n_candidates_; ++i) {
      for (const size_t end = coming.size() * (i + 1) / n_candidates_; fetched < end; ++fetched) {
        __builtin_prefetch(sparse + coming[fetched]);
      }
      const int64_t row = first_ + static_cast<int64_t>(i);
      factors_[i] = lists_.base[row] + dense_product(row) + (sparse_product(row) + masked[i]);
    }
  }

  double dense_product(int64_t row) const {
    const double* own = lists_.dense.data() + static_cast<size_t>(row) * lists_.n_dense;
    double sum = 0;
    for (size_t d = 0; d < lists_.n_dense; ++d) sum += weights_[d] * own[d];
    return sum;
  }

  // Four sums at a time: one would wait for itself. Equal rows have equal sums all the same.
  double sparse_product(int64_t row) const {
    const auto begin = static_cast<size_t>(lists_.row_offsets[row]);
    const auto n = static_cast<size_t>(lists_.row_offsets[row + 1]) - begin;
    const int32_t* const places = lists_.places.data() + begin;
    const Value* const values = lists_.values.data() + begin;
    const auto [plus, minus] = ones(row);
    double sum = sum_of(places, plus) - sum_of(places + plus, minus);
    for (size_t i = plus + minus; i < n; ++i) {
      sum += local_[static_cast<size_t>(places[i])] * static_cast<double>(values[i]);
    }
    return sum;
  }

  double sum_of(const int32_t* places, size_t n) const {
    const double* const local = local_.data();
    std::array<double, 4> sums{};
    size_t i = 0;
    for (; i + sums.size() <= n; i += sums.size()) {
      for (size_t k = 0; k < sums.size(); ++k) sums[k] += local[places[i + k]];
    }
    for (; i < n; ++i) sums[0] += local[places[i]];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  // How many entries of a row are of 1, and of -1.
  std::pair<size_t, size_t> ones(int64_t row) const {
    const auto at = 2 * static_cast<size_t>(row);
    return {static_cast<size_t>(lists_.ones[at]), static_cast<size_t>(lists_.ones[at + 1])};
  }

  void add_row(int64_t row, double factor, const SentenceGradient& gradient) {
    const double* own = lists_.dense.data() + static_cast<size_t>(row) * lists_.n_dense;
    for (size_t d = 0; d < lists_.n_dense; ++d) {
      gradient.dense[d] += factor * own[d];
      sizes_[d] += std::abs(factor * own[d]);
    }
    const auto begin = static_cast<size_t>(lists_.row_offsets[row]);
    const auto n = static_cast<size_t>(lists_.row_offsets[row + 1]) - begin;
    const int32_t* const places = lists_.places.data() + begin;
    const Value* const values = lists_.values.data() + begin;
    double* const sums = gradient.sparse.data();
    const auto [plus, minus] = kHasSizes ? std::pair<size_t, size_t>{} : ones(row);
    for (size_t i = 0; i < plus; ++i) sums[places[i]] += factor;
    for (size_t i = plus; i < plus + minus; ++i) sums[places[i]] -= factor;
    for (size_t i = plus + minus; i < n; ++i) {
      const double term = factor * static_cast<double>(values[i]);
      sums[places[i]] += term;
      if constexpr (kHasSizes) sizes_[lists_.n_dense + static_cast<size_t>(places[i])] += std::abs(term);
    }
  }

  const DifferenceLists<Value>& lists_;
  const Posterior& posterior_;
  std::span<const double> weights_;
  int64_t first_ = 0;  // candidate of the sentence
  size_t n_candidates_ = 0;
  MaskedValues masked_{};
  MaskedSums masked_sums_;
  bool has_choice_ = false;
  std::vector<double> local_;  // weights of the sentence's features
  // Scores, then posteriors, then what candidates have in derivatives; and 0 up to the last byte.
  std::vector<double> factors_;
  std::vector<double> sizes_;  // of the terms of derivatives
};

// The gradient of a batch of sentences in an array for all weights, and which of them it touches.
template <typename Value>
class BatchGradient {
 public:
  explicit BatchGradient(const DifferenceLists<Value>& lists, size_t n_weights)
      : lists_(lists), sums_(n_weights), is_touched_(n_weights), dense_(lists.n_dense) {}

  void add(int64_t sentence, Expectation<Value>& expectation) {
    const auto own = lists_.features_of(sentence);
    sparse_.resize(own.size());
    expectation.derive({dense_, sparse_});
    for (size_t d = 0; d < dense_.size(); ++d) add(d, dense_[d]);
    for (size_t i = 0; i < own.size(); ++i) {
      add(lists_.n_dense + static_cast<size_t>(own[i]), sparse_[i]);
    }
  }

  // Calls each(feature, sum) for all that is touched, and forgets it.
  template <typename Each>
  void take(Each each) {
    for (const size_t feature : touched_) {
      each(feature, sums_[feature]);
      sums_[feature] = 0;
      is_touched_[feature] = 0;
    }
    touched_.clear();
  }

 private:
  void add(size_t feature, double value) {
    if (value == 0) return;
    if (!is_touched_[feature]) {
      is_touched_[feature] = 1;
      touched_.push_back(feature);
    }
    sums_[feature] += value;
  }

  const DifferenceLists<Value>& lists_;
  std::vector<double> sums_;
  std::vector<uint8_t> is_touched_;
  std::vector<size_t> touched_;
  std::vector<double> dense_, sparse_;
};

// Finds what `sentence_worths` gives, in memory that may have been used before.
template <typename Value>
void find_worths(const DifferenceLists<Value>& lists, const Posterior& posterior,
                 std::span<const double> weights, int64_t first, int64_t last, bool derive,
                 int threads, SentenceWorths& found) {
  const auto n = static_cast<size_t>(last - first);
  const int64_t first_feature = lists.feature_offsets[first];
  found.means.resize(n);
  if (derive) {
    found.dense.resize(n * lists.n_dense);
    found.sparse.resize(static_cast<size_t>(lists.feature_offsets[last] - first_feature));
  }
  for_chunks(n, kSentencesAtOnce, threads, [&] {
    return [&, expectation = Expectation<Value>(lists, posterior, weights)](size_t begin,
                                                                            size_t end) mutable {
      for (size_t at = begin; at < end; ++at) {
        const int64_t sentence = first + static_cast<int64_t>(at);
        found.means[at] = expectation.look(sentence, std::min(sentence + 1, last - 1));
        if (!derive) continue;
        const auto place = static_cast<size_t>(lists.feature_offsets[sentence] - first_feature);
        expectation.derive(
            {std::span(found.dense).subspan(at * lists.n_dense, lists.n_dense),
             std::span(found.sparse).subspan(place, lists.features_of(sentence).size())});
      }
    };
  });
}

}  // namespace

template <typename Value>
SentenceWorths sentence_worths(const DifferenceLists<Value>& lists, const Posterior& posterior,
                               std::span<const double> weights, int64_t first, int64_t last,
                               bool derive, int threads) {
  SentenceWorths found;
  find_worths(lists, posterior, weights, first, last, derive, threads, found);
  return found;
}

// A thread has a range of the features to itself, which is a stretch of those of every sentence, and
// goes through all sentences in their order, so every sum is that of one thread.
void add_derivatives(std::span<const double> dense, std::span<const double> sparse,
                     std::span<const int64_t> offsets, std::span<const int32_t> features,
                     size_t n_dense, std::span<double> gradient, int threads) {
  for (size_t i = 0; i < dense.size(); ++i) gradient[i % n_dense] += dense[i];
  const auto sums = gradient.subspan(n_dense);
  const auto n_ranges = static_cast<size_t>(std::max(threads, 1));
  const size_t width = sums.size() / n_ranges + 1;
  for_chunks(n_ranges, 1, threads, [&] {
    return [=](size_t range, size_t) {
      const auto column = [=](size_t i) { return static_cast<size_t>(features[i]); };
      const size_t first = range * width, last = first + width;
      for (size_t s = 0; s + 1 < offsets.size(); ++s) {
        const auto begin = static_cast<size_t>(offsets[s] - offsets[0]);
        const auto end = static_cast<size_t>(offsets[s + 1] - offsets[0]);
        const auto own = features.subspan(begin, end - begin);
        const auto lower = std::ranges::lower_bound(
            own, first, {}, [](int32_t feature) { return static_cast<size_t>(feature); });
        for (auto i = begin + static_cast<size_t>(lower - own.begin()); i < end && column(i) < last;
             ++i) {
          if (i + kAhead < features.size()) __builtin_prefetch(&sums[column(i + kAhead)], 1);
          sums[column(i)] += sparse[i];
        }
      }
    };
  });
}

template <typename Value>
double expected_worth(const DifferenceLists<Value>& lists, const Posterior& posterior,
                      std::span<const double> weights, int threads, std::span<double> gradient) {
  const auto n_sentences = static_cast<int64_t>(lists.offsets.size()) - 1;
  double sum = 0;
  SentenceWorths found;
  for (int64_t first = 0; first < n_sentences;) {
    const auto last = std::min(n_sentences, first + kSentencesTogether);
    find_worths(lists, posterior, weights, first, last, !gradient.empty(), threads, found);
    for (const double mean : found.means) sum += mean;
    if (!gradient.empty()) {
      const auto begin = static_cast<size_t>(lists.feature_offsets[first]);
      const auto offsets = lists.feature_offsets.subspan(static_cast<size_t>(first),
                                                         static_cast<size_t>(last - first) + 1);
      add_derivatives(found.dense, found.sparse, offsets,
                      lists.features.subspan(begin, found.sparse.size()), lists.n_dense, gradient,
                      threads);
    }
    first = last;
  }
  return sum;
}

template <typename Value>
double small_steps(const DifferenceLists<Value>& lists, const Posterior& posterior,
                   std::span<const int64_t> order, const SmallSteps& steps,
                   const GradientUpdate& update, std::span<double> weights) {
  Expectation<Value> expectation(lists, posterior, weights);
  BatchGradient<Value> gradient(lists, weights.size());
  double sum = 0;
  for (size_t first = 0; first < order.size(); first += steps.batch) {
    const size_t last = std::min(first + steps.batch, order.size());
    for (size_t at = first; at < last; ++at) {
      sum += expectation.look(order[at], order[std::min(at + 1, order.size() - 1)]);
      gradient.add(order[at], expectation);
    }
    const double factor = steps.factor / static_cast<double>(last - first);
    std::visit(
        [&](const auto& rule) {
          gradient.take([&](size_t feature, double value) {
            if (!steps.moving[feature]) return;
            double along = factor * value;
            if (steps.penalised[feature]) along -= 2 * steps.l2 * weights[feature];
            weights[feature] =
                rule.moved(feature, feature < lists.n_dense, weights[feature], along);
          });
        },
        update);
  }
  return sum;
}

template SentenceWorths sentence_worths(const DifferenceLists<int16_t>&, const Posterior&,
                                        std::span<const double>, int64_t, int64_t, bool, int);
template SentenceWorths sentence_worths(const DifferenceLists<double>&, const Posterior&,
                                        std::span<const double>, int64_t, int64_t, bool, int);
template double expected_worth(const DifferenceLists<int16_t>&, const Posterior&,
                               std::span<const double>, int, std::span<double>);
template double expected_worth(const DifferenceLists<double>&, const Posterior&,
                               std::span<const double>, int, std::span<double>);
template double small_steps(const DifferenceLists<int16_t>&, const Posterior&,
                            std::span<const int64_t>, const SmallSteps&, const GradientUpdate&,
                            std::span<double>);
template double small_steps(const DifferenceLists<double>&, const Posterior&,
                            std::span<const int64_t>, const SmallSteps&, const GradientUpdate&,
                            std::span<double>);

}  // namespace calque
