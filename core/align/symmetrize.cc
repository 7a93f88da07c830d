#include "align/symmetrize.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "error.h"
#include "interrupt.h"

namespace calque::align {
namespace {

// Straight neighbours before diagonal ones.
constexpr std::array<Link, 8> kNeighbours{
    {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};

void check_links(std::span<const Link> links, int32_t n_sources, int32_t n_targets) {
  for (const Link link : links) {
    if (link.source >= 0 && link.source < n_sources && link.target >= 0 &&
        link.target < n_targets) {
      continue;
    }
    throw Error("link " + std::to_string(link.source) + "-" + std::to_string(link.target) +
                " is outside its sentence pair");
  }
}

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

SymmetrizedLinks symmetrize(const LinkLists& forward, const LinkLists& reverse,
                            std::span<const int64_t> source_offsets,
                            std::span<const int64_t> target_offsets, Symmetrization method) {
  SymmetrizedLinks out;
  out.links.reserve(std::max(forward.links.size(), reverse.links.size()));
  Symmetrizer symmetrizer;
  for (size_t n = 0; n + 1 < source_offsets.size(); ++n) {
    end_if_interrupted();
    const auto n_sources = static_cast<int32_t>(source_offsets[n + 1] - source_offsets[n]);
    const auto n_targets = static_cast<int32_t>(target_offsets[n + 1] - target_offsets[n]);
    check_links(forward[n], n_sources, n_targets);
    check_links(reverse[n], n_sources, n_targets);
    const auto links = symmetrizer(forward[n], reverse[n], n_sources, n_targets, method);
    out.links.insert(out.links.end(), links.begin(), links.end());
    out.offsets.push_back(static_cast<int64_t>(out.links.size()));
  }
  return out;
}

}  // namespace calque::align
