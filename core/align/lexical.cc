#include "align/lexical.h"

#include <algorithm>
#include <cmath>

#include "parallel.h"

namespace calque::align {
namespace {

// Keeps every sentence explicable, and products of a few probabilities far from denormal numbers.
constexpr double kFloor = 1e-10;

// Probability from count under a prior; alpha = 0 means relative frequency.
struct Estimate {
  double alpha;
  double weight(double count) const { return alpha == 0 ? count : exp_digamma(count + alpha); }
  // What the weights of `n` outcomes with `sum` counts are divided by.
  double inverse_total(double sum, double n) const {
    const double total = weight_of_total(sum, n);
    return total > 0 ? 1 / total : 0;
  }
  double weight_of_total(double sum, double n) const {
    return alpha == 0 ? sum : exp_digamma(sum + alpha * n);
  }
};

float floored(double prob) { return static_cast<float>(std::max(prob, kFloor)); }

}  // namespace

double exp_digamma(double x) {
  // Up the recurrence digamma(x) = digamma(x + 1) - 1/x until the series in 1/(y - 1/2) is exact
  // enough; the exponential of the series needs no logarithm.
  double down = 0;
  for (; x < 6; x += 1) down += 1 / x;
  const double y = x - 0.5;
  const double y2 = 1 / (y * y);
  const double up = y * (1 + y2 * (1.0 / 24 - y2 * (37.0 / 5760 - y2 * (10313.0 / 2903040))));
  return down == 0 ? up : up * std::exp(-down);
}

Lexical::Lexical(const PairTable& table)
    : table_(table),
      null_{std::vector<float>(static_cast<size_t>(table.n_targets())),
            std::vector<float>(static_cast<size_t>(table.n_sources()))},
      null_counts_{Counts(null_[kForward].size()), Counts(null_[kReverse].size())} {
  // Uniform over the words of the generated side; all that matters is that it is the same for all.
  const float forward = 1.0F / static_cast<float>(std::max(1, table.n_targets()));
  const float reverse = 1.0F / static_cast<float>(std::max(1, table.n_sources()));
  pairs_.assign(table.size(), {{forward, reverse}, {0, 0}});
  std::fill(null_[kForward].begin(), null_[kForward].end(), forward);
  std::fill(null_[kReverse].begin(), null_[kReverse].end(), reverse);
}

void Lexical::estimate(double alpha, int n_threads) {
  const Estimate estimate{alpha};
  const auto& rows = table_.rows();
  const auto& targets = table_.targets();
  const auto n_sources = static_cast<size_t>(table_.n_sources());
  const auto n_targets = static_cast<size_t>(table_.n_targets());

  // Integer sums over rows (source words) and columns (target words); then their inverses.
  std::vector<int64_t> row_sum(n_sources, 0), column_sum(n_targets, 0), column_size(n_targets, 0);
  for (size_t s = 0; s < n_sources; ++s) {
    for (int64_t p = rows[s]; p < rows[s + 1]; ++p) {
      row_sum[s] += pairs_[p].count[kForward];
      column_sum[targets[p]] += pairs_[p].count[kReverse];
      ++column_size[targets[p]];
    }
  }
  std::vector<double> column(n_targets);
  for (size_t t = 0; t < n_targets; ++t) {
    column[t] = estimate.inverse_total(Counts::to_double(column_sum[t]),
                                       static_cast<double>(column_size[t]));
  }
  for_chunks(n_sources, 16, n_threads, [&] {
    return [&](size_t begin, size_t end) {
      for (size_t s = begin; s < end; ++s) {
        const double row = estimate.inverse_total(Counts::to_double(row_sum[s]),
                                                  static_cast<double>(rows[s + 1] - rows[s]));
        for (int64_t p = rows[s]; p < rows[s + 1]; ++p) {
          const auto [of_source, of_target] = pairs_[p].count;
          const double forward = estimate.weight(Counts::to_double(of_source));
          const double reverse = estimate.weight(Counts::to_double(of_target));
          pairs_[p] = {{floored(forward * row), floored(reverse * column[targets[p]])}, {0, 0}};
        }
      }
    };
  });

  for (const Direction direction : {kForward, kReverse}) {
    Counts& counts = null_counts_[direction];
    int64_t sum = 0;
    for (size_t w = 0; w < counts.size(); ++w) sum += counts.fixed(w);
    const double null =
        estimate.inverse_total(Counts::to_double(sum), static_cast<double>(counts.size()));
    for (size_t w = 0; w < counts.size(); ++w) {
      null_[direction][w] = floored(estimate.weight(counts[w]) * null);
    }
    counts.clear();
  }
}

std::vector<float> Lexical::probs(std::span<const int64_t> pairs) const {
  std::vector<float> found(2 * pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    std::copy_n(pairs_[pairs[i]].prob, 2, found.data() + 2 * i);
  }
  return found;
}

void Lexical::set_probs(std::span<const float> probs,
                        std::array<std::span<const float>, 2> null) {
  for (size_t p = 0; p < pairs_.size(); ++p) std::copy_n(probs.data() + 2 * p, 2, pairs_[p].prob);
  for (const Direction direction : {kForward, kReverse}) {
    std::vector<float>& own = null_[direction];
    std::copy_n(null[direction].begin(), own.size(), own.begin());
  }
}

void Lexical::take_counts(ExpectedCounts& taken) {
  taken.pairs.resize(2 * pairs_.size());
  for (size_t p = 0; p < pairs_.size(); ++p) {
    std::copy_n(pairs_[p].count, 2, taken.pairs.data() + 2 * p);
    std::fill_n(pairs_[p].count, 2, 0);
  }
  for (const Direction direction : {kForward, kReverse}) {
    const auto counts = null_counts_[direction].fixed();
    taken.null[direction].assign(counts.begin(), counts.end());
    null_counts_[direction].clear();
  }
}

void Lexical::add_counts(std::span<const int64_t> pairs, std::span<const int64_t> counts,
                         std::array<std::span<const int64_t>, 2> null) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    for (const Direction direction : {kForward, kReverse}) {
      pairs_[pairs[i]].count[direction] += counts[2 * i + direction];
    }
  }
  for (const Direction direction : {kForward, kReverse}) {
    for (size_t w = 0; w < null[direction].size(); ++w) {
      null_counts_[direction].add_fixed(w, null[direction][w]);
    }
  }
}

}  // namespace calque::align
