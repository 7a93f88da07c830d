#include "tune/mira.h"

#include <algorithm>
#include <utility>

namespace calque {

namespace {

template <typename Value>
double score_of(const SparseLists<Value>& lists, int64_t row, std::span<const double> weights) {
  const double* dense = lists.dense.data() + static_cast<size_t>(row) * lists.n_dense;
  double score = 0;
  for (size_t d = 0; d < lists.n_dense; ++d) score += weights[d] * dense[d];
  return score + lists.sparse_score(row, weights.subspan(lists.n_dense));
}

using Difference = std::vector<std::pair<size_t, double>>;

// The features of `hope` minus those of `fear` that may move, each feature once.
template <typename Value>
void difference(const SparseLists<Value>& lists, int64_t hope, int64_t fear,
                std::span<const uint8_t> frozen, Difference& out) {
  out.clear();
  for (size_t d = 0; d < lists.n_dense; ++d) {
    const double delta = lists.dense[static_cast<size_t>(hope) * lists.n_dense + d] -
                         lists.dense[static_cast<size_t>(fear) * lists.n_dense + d];
    if (delta != 0 && !frozen[d]) out.emplace_back(d, delta);
  }
  const auto sparse = static_cast<std::ptrdiff_t>(out.size());
  for (const auto& [row, sign] : {std::pair(hope, 1.0), std::pair(fear, -1.0)}) {
    for (int64_t i = lists.row_offsets[row]; i < lists.row_offsets[row + 1]; ++i) {
      const size_t feature = lists.n_dense + static_cast<size_t>(lists.columns[i]);
      if (!frozen[feature]) out.emplace_back(feature, sign * static_cast<double>(lists.values[i]));
    }
  }
  std::sort(out.begin() + sparse, out.end());
  auto end = out.begin() + sparse;
  for (auto at = end; at != out.end();) {
    auto sum = *at;
    for (++at; at != out.end() && at->first == sum.first; ++at) sum.second += at->second;
    if (sum.second != 0) *end++ = sum;
  }
  out.erase(end, out.end());
}

}  // namespace

template <typename Value>
std::vector<int64_t> mira_pass(const SparseLists<Value>& lists, std::span<const int64_t> order,
                               std::span<const double> gains, std::span<const uint8_t> frozen,
                               double step, int64_t n_seen, std::span<double> weights,
                               std::span<double> lag) {
  std::vector<int64_t> chosen;
  chosen.reserve(order.size());
  Difference moved;
  for (const int64_t sentence : order) {
    const int64_t first = lists.offsets[sentence];
    int64_t best = first, hope = first, fear = first;
    double best_score = 0, hope_score = 0, fear_score = 0;
    for (int64_t row = first; row < lists.offsets[sentence + 1]; ++row) {
      const double score = score_of(lists, row, weights);
      if (row == first || score > best_score) best = row, best_score = score;
      if (row == first || score + gains[row] > hope_score + gains[hope]) {
        hope = row, hope_score = score;
      }
      if (row == first || score - gains[row] > fear_score - gains[fear]) {
        fear = row, fear_score = score;
      }
    }
    chosen.push_back(best);
    const double violation = (gains[hope] - gains[fear]) - (hope_score - fear_score);
    if (gains[hope] > gains[fear] && violation > 0) {
      difference(lists, hope, fear, frozen, moved);
      double norm = 0;
      for (const auto& [feature, delta] : moved) norm += delta * delta;
      if (norm > 0) {
        const double eta = std::min(step, violation / norm);
        for (const auto& [feature, delta] : moved) {
          weights[feature] += eta * delta;
          lag[feature] += static_cast<double>(n_seen) * eta * delta;
        }
      }
    }
    ++n_seen;
  }
  return chosen;
}

template std::vector<int64_t> mira_pass(const SparseLists<uint8_t>&, std::span<const int64_t>,
                                        std::span<const double>, std::span<const uint8_t>, double,
                                        int64_t, std::span<double>, std::span<double>);
template std::vector<int64_t> mira_pass(const SparseLists<double>&, std::span<const int64_t>,
                                        std::span<const double>, std::span<const uint8_t>, double,
                                        int64_t, std::span<double>, std::span<double>);

}  // namespace calque
