#include "metrics/meteor.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "metrics/rows.h"

namespace calque {
namespace {

constexpr int32_t kFree = -2;  // and not -1, the place before the first

bool share(std::span<const int32_t> a, std::span<const int32_t> b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) return true;
    a[i] < b[j] ? ++i : ++j;
  }
  return false;
}

// The score of one sentence, for the choice of its reference.
double score(const MeteorCounts& counts, size_t n_words, size_t n_reference_words) {
  if (counts.n_matches == 0) return 0.0;
  const double matches = counts.n_matches;
  const double precision = matches / static_cast<double>(n_words);
  const double recall = matches / static_cast<double>(n_reference_words);
  const double share = counts.n_chunks / matches;
  return 10 * precision * recall / (recall + 9 * precision) * (1 - 0.5 * share * share * share);
}

}  // namespace

MeteorCounts MeteorAligner::align(std::span<const int32_t> hypothesis,
                                  std::span<const int32_t> reference,
                                  const WordClasses& classes) {
  partner_.assign(hypothesis.size(), kFree);
  taken_.assign(reference.size(), 0);
  const auto run = [&](auto matches) {
    run_stage(hypothesis.size(), reference.size(),
              [&](size_t i, size_t j) { return matches(hypothesis[i], reference[j]); });
  };
  run([](int32_t a, int32_t b) { return a == b; });
  if (!classes.stems.empty()) {
    run([&](int32_t a, int32_t b) {
      return classes.stems[static_cast<size_t>(a)] == classes.stems[static_cast<size_t>(b)];
    });
  }
  if (!classes.synset_offsets.empty()) {
    const IdLines synsets{classes.synsets, classes.synset_offsets};
    run([&](int32_t a, int32_t b) {
      return share(synsets[static_cast<size_t>(a)], synsets[static_cast<size_t>(b)]);
    });
  }
  MeteorCounts counts;
  for (size_t i = 0; i < partner_.size(); ++i) {
    if (partner_[i] == kFree) continue;
    ++counts.n_matches;
    if (i == 0 || partner_[i - 1] == kFree || partner_[i - 1] + 1 != partner_[i]) {
      ++counts.n_chunks;
    }
  }
  return counts;
}

template <typename Matches>
void MeteorAligner::run_stage(size_t n_words, size_t n_places, Matches matches) {
  candidates_.resize(std::max(candidates_.size(), n_words));
  for (size_t i = 0; i < n_words; ++i) {
    candidates_[i].clear();
    if (partner_[i] != kFree) continue;
    for (size_t j = 0; j < n_places; ++j) {
      if (!taken_[j] && matches(i, j)) candidates_[i].push_back(static_cast<int32_t>(j));
    }
  }
  if (!take_single_candidates(n_places)) {
    find_components(n_places);
    search(n_places);
  }
  for (const int32_t place : partner_) {
    if (place != kFree) taken_[static_cast<size_t>(place)] = 1;
  }
}

// Makes the matches at once where no word has a choice and no place is wanted twice.
bool MeteorAligner::take_single_candidates(size_t n_places) {
  matched_.assign(n_places, kFree);
  for (size_t i = 0; i < partner_.size(); ++i) {
    if (candidates_[i].empty()) continue;
    int32_t& taker = matched_[static_cast<size_t>(candidates_[i][0])];
    if (candidates_[i].size() > 1 || taker != kFree) return false;
    taker = static_cast<int32_t>(i);
  }
  for (size_t i = 0; i < partner_.size(); ++i) {
    if (!candidates_[i].empty()) partner_[i] = candidates_[i][0];
  }
  return true;
}

// Words and places that compete, and how many words of each such component must stay free.
void MeteorAligner::find_components(size_t n_places) {
  const size_t n_words = partner_.size();
  component_.resize(n_words + n_places);
  std::iota(component_.begin(), component_.end(), 0);
  const auto root = [&](int32_t node) {
    while (component_[static_cast<size_t>(node)] != node) {
      node = component_[static_cast<size_t>(node)];
    }
    return node;
  };
  for (size_t i = 0; i < n_words; ++i) {
    for (const int32_t j : candidates_[i]) {
      const int32_t a = root(static_cast<int32_t>(i));
      const int32_t b = root(static_cast<int32_t>(n_words) + j);
      component_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  for (size_t node = 0; node < component_.size(); ++node) {
    component_[node] = root(static_cast<int32_t>(node));
  }
  n_skips_.assign(n_words + n_places, 0);
  matched_.assign(n_places, kFree);
  std::vector<uint8_t> visited;
  for (size_t i = 0; i < n_words; ++i) {
    if (candidates_[i].empty()) continue;
    visited.assign(n_places, 0);
    if (!augment(i, visited)) ++n_skips_[static_cast<size_t>(component_[i])];
  }
  n_mask_ = (n_places + 63) / 64;
  component_masks_.assign((n_words + n_places) * n_mask_, 0);
  for (size_t j = 0; j < n_places; ++j) {
    const auto c = static_cast<size_t>(component_[n_words + j]);
    component_masks_[c * n_mask_ + j / 64] |= 1ULL << (j % 64);
  }
}

bool MeteorAligner::augment(size_t word, std::vector<uint8_t>& visited) {
  for (const int32_t place : candidates_[word]) {
    const auto j = static_cast<size_t>(place);
    if (visited[j]) continue;
    visited[j] = 1;
    if (matched_[j] == kFree || augment(static_cast<size_t>(matched_[j]), visited)) {
      matched_[j] = static_cast<int32_t>(word);
      return true;
    }
  }
  return false;
}

void MeteorAligner::search(size_t n_places) {
  const size_t n_words = partner_.size();
  steps_.resize(std::max(steps_.size(), n_words + 1));
  steps_[0].assign(1, State{-1, kFree, 0, 0});
  masks_.assign(n_mask_, 0);
  n_begun_.assign(n_words + n_places, 0);
  for (size_t i = 0; i < n_words; ++i) {
    next_.clear();
    next_masks_.clear();
    for (size_t s = 0; s < steps_[i].size(); ++s) expand(i, s, false);
    if (next_.empty()) {
      for (size_t s = 0; s < steps_[i].size(); ++s) expand(i, s, true);
    }
    keep_best();
    steps_[i + 1].clear();
    for (const int32_t kept : order_) steps_[i + 1].push_back(next_[static_cast<size_t>(kept)]);
    masks_.swap(kept_masks_);
    if (!candidates_[i].empty()) ++n_begun_[static_cast<size_t>(component_[i])];
  }
  const auto& last = steps_[n_words];
  size_t best = 0;
  for (size_t s = 1; s < last.size(); ++s) {
    const auto key = [&](size_t state) {
      return std::pair(-last[state].n_taken, last[state].n_chunks);
    };
    if (key(s) < key(best)) best = s;
  }
  for (size_t i = n_words; i > 0; --i) {
    partner_[i - 1] = steps_[i][best].place;
    best = static_cast<size_t>(steps_[i][best].parent);
  }
}

// Appends to `next_` what can become of a state with one more word.
void MeteorAligner::expand(size_t word, size_t state, bool may_always_skip) {
  const State from = steps_[word][state];
  const uint64_t* const mask = masks_.data() + state * n_mask_;
  const auto push = [&](int32_t place, bool new_match) {
    const bool opens = place != kFree && (from.place == kFree || from.place + 1 != place);
    next_.push_back({static_cast<int32_t>(state), place, from.n_taken + new_match,
                     from.n_chunks + opens});
    next_masks_.insert(next_masks_.end(), mask, mask + n_mask_);
    if (new_match) {
      const auto j = static_cast<size_t>(place);
      next_masks_[next_masks_.size() - n_mask_ + j / 64] |= 1ULL << (j % 64);
    }
  };
  if (candidates_[word].empty()) {
    push(partner_[word], false);
    return;
  }
  for (const int32_t place : candidates_[word]) {
    const auto j = static_cast<size_t>(place);
    if ((mask[j / 64] >> (j % 64) & 1) == 0) push(place, true);
  }
  const auto c = static_cast<size_t>(component_[word]);
  int32_t n_taken = 0;
  for (size_t m = 0; m < n_mask_; ++m) {
    n_taken += std::popcount(mask[m] & component_masks_[c * n_mask_ + m]);
  }
  if (may_always_skip || n_begun_[c] - n_taken < n_skips_[c]) push(kFree, false);
}

// The best of `next_` in `order_`, with their masks: one of those that agree in what is still free.
void MeteorAligner::keep_best() {
  std::vector<int32_t> by_rank(next_.size());
  std::iota(by_rank.begin(), by_rank.end(), 0);
  std::stable_sort(by_rank.begin(), by_rank.end(), [&](int32_t a, int32_t b) {
    return next_[static_cast<size_t>(a)].rank() < next_[static_cast<size_t>(b)].rank();
  });
  order_.clear();
  kept_masks_.clear();
  for (const int32_t candidate : by_rank) {
    if (order_.size() == kBeam) break;
    const auto mask = next_masks_.begin() + candidate * static_cast<int64_t>(n_mask_);
    const auto mask_end = mask + static_cast<int64_t>(n_mask_);
    const auto same = [&](int32_t kept) {
      return next_[static_cast<size_t>(kept)].place == next_[static_cast<size_t>(candidate)].place &&
             std::equal(mask, mask_end, next_masks_.begin() + kept * static_cast<int64_t>(n_mask_));
    };
    if (std::any_of(order_.begin(), order_.end(), same)) continue;
    order_.push_back(candidate);
    kept_masks_.insert(kept_masks_.end(), mask, mask_end);
  }
}

std::vector<double> meteor_statistics(const IdLines& hypotheses,
                                      std::span<const int64_t> sentences,
                                      const IdLines& references, size_t n_sets,
                                      const WordClasses& classes, int n_threads) {
  return fill_rows(hypotheses.size(), 4, n_threads, [&] {
    return [&, aligner = MeteorAligner()](size_t i, std::span<double> row) mutable {
      // Of references with the same score the one with most matches, fewest chunks, fewest words: not
      // the first one.
      std::tuple<double, int64_t, int64_t, int64_t> best{-1, 0, 0, 0};
      for (size_t k = 0; k < n_sets; ++k) {
        const auto reference = references[static_cast<size_t>(sentences[i]) * n_sets + k];
        const MeteorCounts counts = aligner.align(hypotheses[i], reference, classes);
        const std::tuple<double, int64_t, int64_t, int64_t> rank{
            score(counts, hypotheses[i].size(), reference.size()), counts.n_matches,
            -counts.n_chunks, -static_cast<int64_t>(reference.size())};
        if (rank <= best) continue;
        best = rank;
        row[0] = counts.n_matches;
        row[1] = counts.n_chunks;
        row[2] = static_cast<double>(hypotheses[i].size());
        row[3] = static_cast<double>(reference.size());
      }
    };
  });
}

}  // namespace calque
