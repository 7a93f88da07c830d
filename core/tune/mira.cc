#include "tune/mira.h"

#include <algorithm>
#include <utility>

#include "interrupt.h"

namespace calque {

namespace {

// The state of a pass; one sentence after the other.
class Pass {
 public:
  Pass(const BundledLists& lists, std::span<const double> dense, size_t n_dense,
       std::span<const double> gains, std::span<const uint8_t> frozen, double step, int64_t n_seen,
       std::span<double> weights, std::span<double> lag)
      : lists_(lists),
        dense_(dense),
        n_dense_(n_dense),
        gains_(gains),
        frozen_(frozen),
        step_(step),
        n_seen_(n_seen),
        weights_(weights),
        lag_(lag) {}

  // Gives the best-scoring candidate before the move.
  int64_t visit(int64_t sentence) {
    sum_up(sentence);
    const int64_t first = lists_.offsets()[sentence];
    int64_t best = first, hope = first, fear = first;
    double best_score = 0, hope_score = 0, fear_score = 0;
    for (int64_t row = first; row < lists_.offsets()[sentence + 1]; ++row) {
      const double score = score_of(row);
      if (row == first || score > best_score) best = row, best_score = score;
      if (row == first || score + gains_[row] > hope_score + gains_[hope]) {
        hope = row, hope_score = score;
      }
      if (row == first || score - gains_[row] > fear_score - gains_[fear]) {
        fear = row, fear_score = score;
      }
    }
    const double violation = (gains_[hope] - gains_[fear]) - (hope_score - fear_score);
    if (gains_[hope] > gains_[fear] && violation > 0) move(sentence, hope, fear, violation);
    ++n_seen_;
    return best;
  }

 private:
  // The weight of each bundle of a sentence is the sum over its features.
  void sum_up(int64_t sentence) {
    sums_.assign(lists_.n_bundles(sentence), 0.0);
    const auto sparse = weights_.subspan(n_dense_);
    for (size_t bundle = 0; bundle < sums_.size(); ++bundle) {
      for (const int32_t column : lists_.members(sentence, static_cast<int32_t>(bundle))) {
        sums_[bundle] += sparse[static_cast<size_t>(column)];
      }
    }
  }

  double score_of(int64_t row) const {
    const double* dense = dense_.data() + static_cast<size_t>(row) * n_dense_;
    double score = 0, sparse = 0;
    for (size_t d = 0; d < n_dense_; ++d) score += weights_[d] * dense[d];
    for (const auto& entry : lists_.entries(row)) {
      sparse += sums_[static_cast<size_t>(entry.bundle)] * entry.value;
    }
    return score + sparse;
  }

  void move(int64_t sentence, int64_t hope, int64_t fear, double violation) {
    subtract(sentence, hope, fear);
    double norm = 0;
    for (const auto& [feature, delta] : moved_) norm += delta * delta;
    if (norm == 0) return;
    const double eta = std::min(step_, violation / norm);
    for (const auto& [feature, delta] : moved_) {
      weights_[feature] += eta * delta;
      lag_[feature] += static_cast<double>(n_seen_) * eta * delta;
    }
  }

  // The features of `hope` minus those of `fear` that may move, each feature once.
  void subtract(int64_t sentence, int64_t hope, int64_t fear) {
    moved_.clear();
    for (size_t d = 0; d < n_dense_; ++d) {
      const double delta = dense_[static_cast<size_t>(hope) * n_dense_ + d] -
                           dense_[static_cast<size_t>(fear) * n_dense_ + d];
      if (delta != 0 && !frozen_[d]) moved_.emplace_back(d, delta);
    }
    differing_.assign(sums_.size(), 0.0);
    for (const auto& [row, sign] : {std::pair(hope, 1.0), std::pair(fear, -1.0)}) {
      for (const auto& entry : lists_.entries(row)) {
        differing_[static_cast<size_t>(entry.bundle)] += sign * entry.value;
      }
    }
    for (size_t bundle = 0; bundle < differing_.size(); ++bundle) {
      if (differing_[bundle] == 0) continue;
      for (const int32_t column : lists_.members(sentence, static_cast<int32_t>(bundle))) {
        const size_t feature = n_dense_ + static_cast<size_t>(column);
        if (!frozen_[feature]) moved_.emplace_back(feature, differing_[bundle]);
      }
    }
  }

  const BundledLists& lists_;
  std::span<const double> dense_;
  size_t n_dense_;
  std::span<const double> gains_;
  std::span<const uint8_t> frozen_;
  double step_;
  int64_t n_seen_;
  std::span<double> weights_, lag_;
  std::vector<double> sums_;       // the weight of each bundle of the sentence
  std::vector<double> differing_;  // hope minus fear, by bundle
  std::vector<std::pair<size_t, double>> moved_;
};

}  // namespace

std::vector<int64_t> mira_pass(const BundledLists& lists, std::span<const double> dense,
                               size_t n_dense, std::span<const int64_t> order,
                               std::span<const double> gains, std::span<const uint8_t> frozen,
                               double step, int64_t n_seen, std::span<double> weights,
                               std::span<double> lag) {
  Pass pass(lists, dense, n_dense, gains, frozen, step, n_seen, weights, lag);
  std::vector<int64_t> chosen;
  chosen.reserve(order.size());
  for (const int64_t sentence : order) {
    end_if_interrupted();
    chosen.push_back(pass.visit(sentence));
  }
  return chosen;
}

}  // namespace calque
