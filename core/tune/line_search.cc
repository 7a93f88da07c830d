#include "tune/line_search.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "parallel.h"

namespace calque {

namespace {

constexpr size_t kSentencesPerChunk = 64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A candidate as a line: its score at the point, and how the score changes in the direction.
struct Line {
  double slope, score;
  int32_t at;    // counted from the first of its sentence
  double begin;  // where it becomes the best
};

// The first of the highest (sign 1) or of the lowest (sign -1) numbers. Several lanes, so that the
// processor need not wait for one comparison before the next.
template <int sign>
int32_t first_extreme(const double* numbers, int32_t n) {
  constexpr int32_t kLanes = 8;
  double lanes[kLanes];
  std::fill(lanes, lanes + kLanes, sign * numbers[0]);
  int32_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int32_t k = 0; k < kLanes; ++k) {
      const double number = sign * numbers[i + k];
      lanes[k] = lanes[k] < number ? number : lanes[k];
    }
  }
  double extreme = *std::max_element(lanes, lanes + kLanes);
  for (; i < n; ++i) extreme = std::max(extreme, sign * numbers[i]);
  int32_t at = 0;
  while (at + 1 < n && sign * numbers[at] != extreme) ++at;
  return at;
}

// Leaves lines of one sentence in `lines` among which are all that are best somewhere. As points
// (slope, score) those are the upper convex hull, of which the leftmost, the highest and the
// rightmost point are cheap to find; what is below the two chords between them, usually almost
// everything, is not on it.
void possible_lines(const double* slopes, const double* scores, int32_t n, int32_t top,
                    std::vector<int32_t>& kept, std::vector<Line>& lines) {
  const int32_t left = first_extreme<-1>(slopes, n), right = first_extreme<1>(slopes, n);
  const double highest = scores[top], middle = slopes[top];
  const double up = highest - scores[left], to_top = middle - slopes[left];
  const double down = scores[right] - highest, from_top = slopes[right] - middle;
  if (kept.size() < static_cast<size_t>(n)) kept.resize(static_cast<size_t>(n));
  size_t n_kept = 0;
  for (int32_t i = 0; i < n; ++i) {
    const double below = scores[i] - highest, aside = slopes[i] - middle;
    kept[n_kept] = i;
    n_kept += static_cast<size_t>((below * to_top > aside * up) |
                                  (below * from_top > aside * down));
  }
  lines.clear();
  for (const int32_t i : {left, top, right}) lines.push_back({slopes[i], scores[i], i, 0});
  for (size_t k = 0; k < n_kept; ++k) {
    const int32_t i = kept[k];
    lines.push_back({slopes[i], scores[i], i, 0});
  }
}

// Leaves those lines that are best somewhere, from left to right.
void keep_envelope(std::vector<Line>& lines) {
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.slope < b.slope || (a.slope == b.slope && a.at < b.at);
  });
  size_t n_kept = 0;
  for (Line line : lines) {
    line.begin = -kInfinity;
    bool is_best_somewhere = true;
    while (n_kept > 0) {
      const Line& last = lines[n_kept - 1];
      if (line.slope == last.slope) {
        if (line.score <= last.score) {
          is_best_somewhere = false;
          break;
        }
      } else {
        line.begin = (last.score - line.score) / (line.slope - last.slope);
        if (line.begin > last.begin) break;
      }
      --n_kept;
      line.begin = -kInfinity;
    }
    if (is_best_somewhere && line.begin < kInfinity) lines[n_kept++] = line;
  }
  lines.resize(n_kept);
}

}  // namespace

LineSearch::LineSearch(const CandidateLists& lists, int threads)
    : offsets_(lists.offsets.begin(), lists.offsets.end()),
      n_features_(lists.n_features),
      n_statistics_(lists.n_statistics),
      threads_(threads),
      columns_(lists.n_candidates() * lists.n_features),
      which_(lists.n_candidates()),
      scores_(lists.n_candidates()),
      slopes_(lists.n_candidates()),
      tops_(lists.n_sentences()) {
  const size_t n = which_.size(), n_bytes = n_statistics_ * sizeof(double);
  std::unordered_map<std::string_view, int32_t> known;
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < n_features_; ++k) {
      columns_[k * n + i] = lists.features[i * n_features_ + k];
    }
    const double* row = lists.statistics.data() + i * n_statistics_;
    const std::string_view bytes(reinterpret_cast<const char*>(row), n_bytes);
    const auto [found, is_new] = known.emplace(bytes, static_cast<int32_t>(known.size()));
    if (is_new) distinct_.insert(distinct_.end(), row, row + n_statistics_);
    which_[i] = found->second;
  }
}

void LineSearch::project(std::span<const double> direction, size_t first, size_t last,
                         double* out) const {
  const size_t n = which_.size();
  std::fill(out + first, out + last, 0.0);
  size_t k = 0;
  const auto next = [&](double& weight) {  // the next column that matters
    while (k < direction.size() && direction[k] == 0) ++k;
    weight = k < direction.size() ? direction[k] : 0.0;
    return columns_.data() + (k < direction.size() ? k++ : 0) * n;
  };
  while (true) {
    double a, b, c;
    const double* of_a = next(a);
    if (a == 0) return;
    const double *of_b = next(b), *of_c = next(c);
    if (b == 0) {
      for (size_t i = first; i < last; ++i) out[i] += a * of_a[i];
      return;
    }
    for (size_t i = first; i < last; ++i) out[i] += a * of_a[i] + b * of_b[i] + c * of_c[i];
  }
}

void LineSearch::start(std::span<const double> weights) {
  for_chunks(n_sentences(), kSentencesPerChunk, threads_, [&] {
    return [&](size_t begin, size_t end) {
      project(weights, offsets_[begin], offsets_[end], scores_.data());
      find_tops(begin, end);
    };
  });
}

void LineSearch::move(double gamma) {
  for_chunks(n_sentences(), kSentencesPerChunk, threads_, [&] {
    return [&](size_t begin, size_t end) {
      for (size_t i = offsets_[begin]; i < offsets_[end]; ++i) scores_[i] += gamma * slopes_[i];
      find_tops(begin, end);
    };
  });
}

void LineSearch::find_tops(size_t begin, size_t end) {
  for (size_t s = begin; s < end; ++s) {
    const auto n = static_cast<int32_t>(offsets_[s + 1] - offsets_[s]);
    tops_[s] = first_extreme<1>(scores_.data() + offsets_[s], n);
  }
}

std::vector<double> LineSearch::statistics() const {
  std::vector<double> sum(n_statistics_);
  for (size_t s = 0; s < n_sentences(); ++s) {
    const double* some = distinct(which_[offsets_[s] + static_cast<size_t>(tops_[s])]);
    for (size_t k = 0; k < n_statistics_; ++k) sum[k] += some[k];
  }
  return sum;
}

LineIntervals LineSearch::along(std::span<const double> direction) {
  const size_t n_chunks = (n_sentences() + kSentencesPerChunk - 1) / kSentencesPerChunk;
  std::vector<std::vector<Change>> found(n_chunks);
  std::vector<int32_t> leftmost(n_sentences());
  for_chunks(n_sentences(), kSentencesPerChunk, threads_, [&] {
    return [&, lines = std::vector<Line>(), kept = std::vector<int32_t>()](size_t begin,
                                                                           size_t end) mutable {
      std::vector<Change>& changes = found[begin / kSentencesPerChunk];
      for (size_t s = begin; s < end; ++s) {
        const size_t first = offsets_[s], last = offsets_[s + 1];
        project(direction, first, last, slopes_.data());
        possible_lines(slopes_.data() + first, scores_.data() + first,
                       static_cast<int32_t>(last - first), tops_[s], kept, lines);
        keep_envelope(lines);
        int32_t before = which_[first + static_cast<size_t>(lines[0].at)];
        leftmost[s] = before;
        for (const Line& line : lines) {
          const int32_t after = which_[first + static_cast<size_t>(line.at)];
          if (after != before) changes.push_back({line.begin, before, after});
          before = after;
        }
      }
    };
  });
  std::vector<Change> changes;
  for (const auto& some : found) changes.insert(changes.end(), some.begin(), some.end());
  // Ties in a fixed order: sums of fractions depend on it.
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.gamma < b.gamma; });
  std::vector<double> sum(n_statistics_);
  for (const int32_t which : leftmost) {
    for (size_t k = 0; k < n_statistics_; ++k) sum[k] += distinct(which)[k];
  }
  return summed(changes, std::move(sum));
}

LineIntervals LineSearch::summed(const std::vector<Change>& changes,
                                 std::vector<double> sum) const {
  LineIntervals result;
  for (const Change& change : changes) {
    if (result.breakpoints.empty() || result.breakpoints.back() != change.gamma) {
      result.breakpoints.push_back(change.gamma);
    }
  }
  const size_t n_rows = result.breakpoints.size() + 1;
  result.statistics.resize(n_rows * n_statistics_);
  const auto put = [&](size_t row) {
    for (size_t k = 0; k < n_statistics_; ++k) result.statistics[k * n_rows + row] = sum[k];
  };
  put(0);
  size_t row = 0;
  for (const Change& change : changes) {
    if (result.breakpoints[row] != change.gamma) put(++row);
    const double *before = distinct(change.before), *after = distinct(change.after);
    for (size_t k = 0; k < n_statistics_; ++k) sum[k] += after[k] - before[k];
  }
  put(n_rows - 1);
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
