#include "train/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "parallel.h"

namespace calque {

namespace {

constexpr size_t kSentencesPerChunk = 64;

// From `gamma` on the sentence prefers row `after` to row `before`.
struct Change {
  double gamma;
  int64_t before, after;
};

struct EnvelopeLine {
  int64_t row;
  double begin;  // where it becomes the best
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The lines of one sentence that are best somewhere, from left to right. `by_slope` are its
// candidates, counted from `first`, by ascending slope; of equal slopes the earlier comes first.
void sorted_envelope(int64_t first, std::span<const int32_t> by_slope,
                     std::span<const double> scores, std::span<const double> slopes,
                     std::vector<EnvelopeLine>& envelope) {
  envelope.clear();
  for (const int32_t candidate : by_slope) {
    const int64_t at = first + candidate;
    const double score = scores[at], slope = slopes[at];
    double begin = -kInfinity;
    bool is_best_somewhere = true;
    while (!envelope.empty()) {
      const EnvelopeLine& top = envelope.back();
      if (slope == slopes[top.row]) {
        if (score <= scores[top.row]) {
          is_best_somewhere = false;
          break;
        }
      } else {
        begin = (scores[top.row] - score) / (slope - slopes[top.row]);
        if (begin > top.begin) break;
      }
      envelope.pop_back();
      begin = -kInfinity;
    }
    if (is_best_somewhere && begin < kInfinity) envelope.push_back({at, begin});
  }
}

// The same without an order: from each line to the one that overtakes it first. Envelopes are
// short, so looking through all lines once per line of the envelope beats sorting them.
void wrapped_envelope(int64_t first, int64_t last, std::span<const double> scores,
                      std::span<const double> slopes, std::vector<EnvelopeLine>& envelope) {
  int64_t at = first;
  for (int64_t i = first + 1; i < last; ++i) {
    if (slopes[i] < slopes[at] || (slopes[i] == slopes[at] && scores[i] > scores[at])) at = i;
  }
  envelope.assign(1, {at, -kInfinity});
  while (true) {
    const double score = scores[at], slope = slopes[at];
    int64_t next = -1;
    double begin = kInfinity;
    for (int64_t i = first; i < last; ++i) {
      if (slopes[i] <= slope) continue;
      const double crossing = (score - scores[i]) / (slopes[i] - slope);
      if (crossing < begin || (crossing == begin && next >= 0 && slopes[i] > slopes[next])) {
        begin = crossing;
        next = i;
      }
    }
    if (next < 0) return;
    envelope.push_back({next, std::max(begin, envelope.back().begin)});
    at = next;
  }
}

}  // namespace

LineSearch::LineSearch(const CandidateLists& lists, int threads)
    : lists_(lists),
      columns_(lists.n_candidates() * lists.n_features),
      orders_(lists.n_candidates() * lists.n_features) {
  const size_t n = lists_.n_candidates();
  for_chunks(lists_.n_features, 1, threads, [&] {
    return [&](size_t begin, size_t end) {
      for (size_t feature = begin; feature < end; ++feature) {
        double* column = columns_.data() + feature * n;
        for (size_t i = 0; i < n; ++i) column[i] = lists_.features[i * lists_.n_features + feature];
        int32_t* order = orders_.data() + feature * n;
        for (size_t s = 0; s < lists_.n_sentences(); ++s) {
          const int64_t first = lists_.offsets[s];
          const auto length = static_cast<int32_t>(lists_.offsets[s + 1] - first);
          std::iota(order + first, order + first + length, 0);
          std::stable_sort(order + first, order + first + length, [&](int32_t a, int32_t b) {
            return column[first + a] < column[first + b];
          });
        }
      }
    };
  });
}

LineIntervals LineSearch::along_axis(std::span<const double> scores, size_t feature,
                                     int threads) const {
  const size_t n = lists_.n_candidates();
  return search(scores, std::span(columns_).subspan(feature * n, n), orders_.data() + feature * n,
                threads);
}

LineIntervals LineSearch::along(std::span<const double> scores, std::span<const double> slopes,
                                int threads) const {
  return search(scores, slopes, nullptr, threads);
}

LineIntervals LineSearch::search(std::span<const double> scores, std::span<const double> slopes,
                                 const int32_t* order, int threads) const {
  const size_t n_sentences = lists_.n_sentences(), n_statistics = lists_.n_statistics;
  const size_t n_chunks = (n_sentences + kSentencesPerChunk - 1) / kSentencesPerChunk;
  std::vector<std::vector<Change>> found(n_chunks);
  std::vector<int64_t> leftmost(n_sentences);
  for_chunks(n_sentences, kSentencesPerChunk, threads, [&] {
    return [&, envelope = std::vector<EnvelopeLine>()](size_t begin, size_t end) mutable {
      std::vector<Change>& changes = found[begin / kSentencesPerChunk];
      for (size_t s = begin; s < end; ++s) {
        const int64_t first = lists_.offsets[s], last = lists_.offsets[s + 1];
        if (order == nullptr) {
          wrapped_envelope(first, last, scores, slopes, envelope);
        } else {
          const std::span by_slope(order + first, static_cast<size_t>(last - first));
          sorted_envelope(first, by_slope, scores, slopes, envelope);
        }
        leftmost[s] = envelope[0].row;
        for (size_t i = 1; i < envelope.size(); ++i) {
          changes.push_back({envelope[i].begin, envelope[i - 1].row, envelope[i].row});
        }
      }
    };
  });

  std::vector<Change> changes;
  for (const auto& some : found) changes.insert(changes.end(), some.begin(), some.end());
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.gamma < b.gamma || (a.gamma == b.gamma && a.before < b.before);
  });

  std::vector<double> sum(n_statistics);
  for (const int64_t row : leftmost) {
    const double* statistics = lists_.statistics.data() + static_cast<size_t>(row) * n_statistics;
    for (size_t k = 0; k < n_statistics; ++k) sum[k] += statistics[k];
  }
  LineIntervals result;
  result.breakpoints.reserve(changes.size());
  result.statistics.reserve((changes.size() + 1) * n_statistics);
  for (size_t i = 0; i < changes.size();) {
    result.statistics.insert(result.statistics.end(), sum.begin(), sum.end());
    const double gamma = changes[i].gamma;
    result.breakpoints.push_back(gamma);
    for (; i < changes.size() && changes[i].gamma == gamma; ++i) {
      const double* before =
          lists_.statistics.data() + static_cast<size_t>(changes[i].before) * n_statistics;
      const double* after =
          lists_.statistics.data() + static_cast<size_t>(changes[i].after) * n_statistics;
      for (size_t k = 0; k < n_statistics; ++k) sum[k] += after[k] - before[k];
    }
  }
  result.statistics.insert(result.statistics.end(), sum.begin(), sum.end());
  return result;
}

std::vector<int64_t> best_candidates(std::span<const int64_t> offsets,
                                     std::span<const double> scores) {
  std::vector<int64_t> best;
  best.reserve(offsets.size() - 1);
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    const double* first = scores.data() + offsets[s];
    const double* last = scores.data() + offsets[s + 1];
    best.push_back(std::max_element(first, last) - scores.data());
  }
  return best;
}

}  // namespace calque
