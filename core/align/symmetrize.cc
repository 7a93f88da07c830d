#include "align/symmetrize.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace calque::align {
namespace {

// Straight neighbours before diagonal ones.
constexpr std::array<Link, 8> kNeighbours{
    {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};

}  // namespace

std::span<const Link> Symmetrizer::operator()(std::span<const Link> forward,
                                              std::span<const Link> reverse, int32_t n_sources,
                                              int32_t n_targets, Symmetrization method) {
  links_.clear();
  if (method == Symmetrization::union_) {
    std::set_union(forward.begin(), forward.end(), reverse.begin(), reverse.end(),
                   std::back_inserter(links_));
    return links_;
  }
  std::set_intersection(forward.begin(), forward.end(), reverse.begin(), reverse.end(),
                        std::back_inserter(links_));
  if (method == Symmetrization::intersection) return links_;

  n_sources_ = n_sources;
  n_targets_ = n_targets;
  const auto n_cells = static_cast<size_t>(n_sources) * static_cast<size_t>(n_targets);
  in_union_.assign(n_cells, 0);
  linked_.assign(n_cells, 0);
  source_linked_.assign(static_cast<size_t>(n_sources), 0);
  target_linked_.assign(static_cast<size_t>(n_targets), 0);
  for (const auto links : {forward, reverse}) {
    for (const Link link : links) {
      in_union_[static_cast<size_t>(link.source) * n_targets + link.target] = 1;
    }
  }
  for (const Link link : std::vector<Link>(links_)) add(link.source, link.target);

  grow_diag();
  if (method != Symmetrization::grow_diag) final(method == Symmetrization::grow_diag_final_and);

  links_.clear();
  for (int32_t i = 0; i < n_sources; ++i) {
    for (int32_t j = 0; j < n_targets; ++j) {
      if (linked_[static_cast<size_t>(i) * n_targets + j]) links_.push_back({i, j});
    }
  }
  return links_;
}

void Symmetrizer::add(int32_t i, int32_t j) {
  linked_[static_cast<size_t>(i) * n_targets_ + j] = 1;
  source_linked_[i] = 1;
  target_linked_[j] = 1;
}

void Symmetrizer::grow_diag() {
  for (bool grown = true; grown;) {
    grown = false;
    for (int32_t i = 0; i < n_sources_; ++i) {
      for (int32_t j = 0; j < n_targets_; ++j) {
        if (!linked_[static_cast<size_t>(i) * n_targets_ + j]) continue;
        for (const Link step : kNeighbours) {
          const int32_t y = i + step.source, x = j + step.target;
          if (y < 0 || x < 0 || y >= n_sources_ || x >= n_targets_) continue;
          if (source_linked_[y] && target_linked_[x]) continue;
          if (!in_union_[static_cast<size_t>(y) * n_targets_ + x]) continue;
          add(y, x);
          grown = true;
        }
      }
    }
  }
}

void Symmetrizer::final(bool both) {
  for (int32_t i = 0; i < n_sources_; ++i) {
    for (int32_t j = 0; j < n_targets_; ++j) {
      if (!in_union_[static_cast<size_t>(i) * n_targets_ + j]) continue;
      const bool covered = both ? source_linked_[i] || target_linked_[j]
                                : source_linked_[i] && target_linked_[j];
      if (!covered) add(i, j);
    }
  }
}

}  // namespace calque::align
