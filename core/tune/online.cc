#include "tune/online.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "parallel.h"

namespace calque {

namespace {

constexpr double kSmallestScale = 1e-100;
constexpr size_t kSentencesAtOnce = 256;
// A sum that is smaller than this share of its terms is what rounding left of nothing. Rules that look
// at signs, such as AdaGrad, would take a whole step in its direction.
constexpr double kDust = 1e-12;

// Adds to a sum and to the sizes of its terms.
void add(double term, double& sum, double& size) {
  sum += term;
  size += std::abs(term);
}

void sweep(std::span<double> sums, std::span<const double> sizes) {
  for (size_t i = 0; i < sums.size(); ++i) {
    if (std::abs(sums[i]) <= kDust * sizes[i]) sums[i] = 0;
  }
}

// A group of weights that shrinks as a whole: what is stored times `scale` is the weight.
struct Group {
  double shrink;
  double time;  // the sum of the scales after each sentence up to now
  double scale = 1;

  // Makes what is stored the weights themselves; the mean stays what it was.
  void fold(std::span<double> stored) {
    if (scale == 1) return;
    for (double& weight : stored) weight *= scale;
    time /= scale;
    scale = 1;
  }
};

template <typename Value, typename Update>
class Pass {
 public:
  Pass(const DifferenceLists<Value>& lists, const Worths& worths, const OnlineLoss& loss,
       Update update, const Shrinkage& shrinkage, const Learned& learned)
      : lists_(lists),
        worths_(worths),
        loss_(loss),
        update_(update),
        learned_(learned),
        dense_{shrinkage.dense, learned.times[0]},
        sparse_{shrinkage.sparse, learned.times[1]},
        dense_direction_(lists.n_dense) {}

  void run(std::span<const int64_t> order) {
    for (size_t at = 0; at < order.size(); ++at) {
      shrink();
      const double wrong = look(order[at], at + 1 < order.size() ? order[at + 1] : order[at]);
      if (!shares_.empty()) move(order[at], wrong);
      dense_.time += dense_.scale;
      sparse_.time += sparse_.scale;
    }
    fold();
    learned_.times[0] = dense_.time;
    learned_.times[1] = sparse_.time;
  }

  // Adds the directions of all sentences; the weights stay.
  void add_directions(std::span<double> total) {
    const auto n = static_cast<int64_t>(lists_.offsets.size()) - 1;
    for (int64_t sentence = 0; sentence < n; ++sentence) {
      look(sentence, std::min(sentence + 1, n - 1));
      if (shares_.empty()) continue;
      sum(sentence);
      for (size_t d = 0; d < lists_.n_dense; ++d) total[d] += dense_direction_[d];
      const auto own = lists_.features_of(sentence);
      for (size_t i = 0; i < own.size(); ++i) {
        total[lists_.n_dense + static_cast<size_t>(own[i])] += sparse_direction_[i];
      }
    }
  }

 private:
  // Scores a sentence and finds the shares of its candidates in a direction; how wrong it is.
  double look(int64_t sentence, int64_t next) {
    score(sentence, next);
    const auto first = static_cast<size_t>(lists_.offsets[sentence]);
    const JudgedSentence judged{scores_, worths_.gains.subspan(first, scores_.size()),
                                static_cast<size_t>(worths_.n_truths[sentence])};
    return std::visit([&](const auto& loss) { return loss(judged, shares_); }, loss_);
  }

  void shrink() {
    dense_.scale *= dense_.shrink;
    sparse_.scale *= sparse_.shrink;
    if (dense_.scale < kSmallestScale || sparse_.scale < kSmallestScale) fold();
  }

  void fold() {
    dense_.fold(learned_.weights.first(lists_.n_dense));
    sparse_.fold(learned_.weights.subspan(lists_.n_dense));
  }

  // Scores all candidates of a sentence; meanwhile the weights of the next one are fetched, which
  // lie anywhere in memory.
  void score(int64_t sentence, int64_t next) {
    const double* weights = learned_.weights.data() + lists_.n_dense;
    const auto own = lists_.features_of(sentence), coming = lists_.features_of(next);
    local_.resize(own.size());
    for (size_t i = 0; i < own.size(); ++i) local_[i] = weights[own[i]];
    const int64_t first = lists_.offsets[sentence];
    const auto n = static_cast<size_t>(lists_.offsets[sentence + 1] - first);
    scores_.resize(n);
    size_t fetched = 0;
    for (size_t i = 0; i < n; ++i) {
      for (const size_t end = coming.size() * (i + 1) / n; fetched < end; ++fetched) {
        __builtin_prefetch(weights + coming[fetched]);
      }
      scores_[i] = score_of(first + static_cast<int64_t>(i));
    }
  }

  double score_of(int64_t row) const {
    const auto [dense, sparse] = lists_.products(row, learned_.weights, local_);
    return lists_.base[row] + dense_.scale * dense + sparse_.scale * sparse;
  }

  // Sums the features of the candidates that have a share.
  void sum(int64_t sentence) {
    dense_direction_.assign(lists_.n_dense, 0.0);
    sparse_direction_.assign(lists_.features_of(sentence).size(), 0.0);
    dense_sizes_.assign(dense_direction_.size(), 0.0);
    sparse_sizes_.assign(sparse_direction_.size(), 0.0);
    for (const auto& [place, share] : shares_) {
      const int64_t row = lists_.offsets[sentence] + static_cast<int64_t>(place);
      const double* values = lists_.dense.data() + static_cast<size_t>(row) * lists_.n_dense;
      for (size_t d = 0; d < lists_.n_dense; ++d) {
        add(share * values[d], dense_direction_[d], dense_sizes_[d]);
      }
      for (int64_t i = lists_.row_offsets[row]; i < lists_.row_offsets[row + 1]; ++i) {
        const auto at = static_cast<size_t>(lists_.places[i]);
        add(share * static_cast<double>(lists_.values[i]), sparse_direction_[at], sparse_sizes_[at]);
      }
    }
    sweep(dense_direction_, dense_sizes_);
    sweep(sparse_direction_, sparse_sizes_);
  }

  void move(int64_t sentence, double wrong) {
    sum(sentence);
    double length = 0;
    if constexpr (std::is_same_v<Update, PassiveAggressiveUpdate>) {
      for (const double value : dense_direction_) length += value * value;
      for (const double value : sparse_direction_) length += value * value;
    }
    update_.begin(wrong, length);
    for (size_t d = 0; d < lists_.n_dense; ++d) {
      if (dense_direction_[d] != 0) change(d, true, dense_direction_[d], dense_);
    }
    const auto own = lists_.features_of(sentence);
    for (size_t i = 0; i < own.size(); ++i) {
      const double value = sparse_direction_[i];
      if (value != 0) change(lists_.n_dense + static_cast<size_t>(own[i]), false, value, sparse_);
    }
  }

  void change(size_t feature, bool is_dense, double value, const Group& group) {
    const double stored = update_.change(feature, is_dense, value) / group.scale;
    learned_.weights[feature] += stored;
    if (!learned_.lag.empty()) learned_.lag[feature] += group.time * stored;
  }

  const DifferenceLists<Value>& lists_;
  const Worths& worths_;
  const OnlineLoss& loss_;
  Update update_;
  const Learned& learned_;
  Group dense_, sparse_;
  std::vector<double> local_, scores_, dense_direction_, sparse_direction_;
  std::vector<double> dense_sizes_, sparse_sizes_;  // of the terms of the directions
  std::vector<Share> shares_;
};

}  // namespace

template <typename Value>
void online_pass(const DifferenceLists<Value>& lists, std::span<const int64_t> order,
                 const Worths& worths, const OnlineLoss& loss, const OnlineUpdate& update,
                 const Shrinkage& shrinkage, const Learned& learned) {
  std::visit(
      [&](const auto& rule) {
        Pass<Value, std::decay_t<decltype(rule)>>(lists, worths, loss, rule, shrinkage, learned)
            .run(order);
      },
      update);
}

template <typename Value>
void add_directions(const DifferenceLists<Value>& lists, const Worths& worths, const OnlineLoss& loss,
                    std::span<const double> weights, std::span<double> sum) {
  std::vector<double> same(weights.begin(), weights.end());
  std::array<double, 2> times{};
  const Learned learned{same, {}, times};
  Pass<Value, SgdUpdate>(lists, worths, loss, SgdUpdate{0, 0}, {}, learned).add_directions(sum);
}

template <typename Value>
std::vector<int64_t> best_of_differences(const DifferenceLists<Value>& lists,
                                         std::span<const double> weights, int threads) {
  const auto sparse = weights.subspan(lists.n_dense);
  std::vector<int64_t> best(lists.offsets.size() - 1);
  for_chunks(best.size(), kSentencesAtOnce, threads, [&] {
    return [&, local = std::vector<double>(), sums = MaskedSums()](size_t begin,
                                                                   size_t end) mutable {
      for (size_t at = begin; at < end; ++at) {
        const auto sentence = static_cast<int64_t>(at);
        local.clear();
        for (const int32_t feature : lists.features_of(sentence)) {
          local.push_back(sparse[static_cast<size_t>(feature)]);
        }
        const auto masked = sums.scores(lists.masked_of(sentence), local);
        double highest = 0;
        for (int64_t row = lists.offsets[at]; row < lists.offsets[at + 1]; ++row) {
          const auto [dense_sum, sparse_sum] = lists.products(row, weights, local);
          const double score = lists.base[row] + dense_sum +
                               (sparse_sum + masked[static_cast<size_t>(row - lists.offsets[at])]);
          if (row == lists.offsets[at] || score > highest) best[at] = row, highest = score;
        }
      }
    };
  });
  return best;
}

template std::vector<int64_t> best_of_differences(const DifferenceLists<int16_t>&,
                                                  std::span<const double>, int);
template std::vector<int64_t> best_of_differences(const DifferenceLists<double>&,
                                                  std::span<const double>, int);
template void add_directions(const DifferenceLists<int16_t>&, const Worths&, const OnlineLoss&,
                             std::span<const double>, std::span<double>);
template void add_directions(const DifferenceLists<double>&, const Worths&, const OnlineLoss&,
                             std::span<const double>, std::span<double>);
template void online_pass(const DifferenceLists<int16_t>&, std::span<const int64_t>, const Worths&,
                          const OnlineLoss&, const OnlineUpdate&, const Shrinkage&, const Learned&);
template void online_pass(const DifferenceLists<double>&, std::span<const int64_t>, const Worths&,
                          const OnlineLoss&, const OnlineUpdate&, const Shrinkage&, const Learned&);

}  // namespace calque
