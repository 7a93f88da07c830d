#include "classes/tree.h"

#include <algorithm>
#include <limits>

#include "interrupt.h"

namespace calque {
namespace {

class Merger {
 public:
  Merger(const Bigrams& bigrams, std::span<const int32_t> class_of, int32_t n_classes)
      : width_(static_cast<size_t>(n_classes) + 1),
        counts_(width_ * width_),
        totals_(width_),
        losses_(width_ * width_) {
    const auto of = [&](int32_t word) {
      return word == bigrams.n_words() ? n_classes : class_of[static_cast<size_t>(word)];
    };
    for (int32_t left = 0; left <= bigrams.n_words(); ++left) {
      const int32_t row = of(left);
      if (row < 0) continue;
      totals_[static_cast<size_t>(row)] += bigrams.count(left);
      for (const auto [right, count] : bigrams.after(left)) {
        if (of(right) >= 0) at(static_cast<size_t>(row), static_cast<size_t>(of(right))) += count;
      }
    }
    for (size_t g = 0; g + 1 < width_; ++g) {
      if (totals_[g] > 0) live_.push_back(g);
    }
    for (const size_t g : live_) {
      end_if_interrupted();
      for (const size_t h : live_) {
        if (g < h) losses_[g * width_ + h] = loss(g, h);
      }
    }
  }

  size_t n_live() const { return live_.size(); }
  const std::vector<size_t>& live() const { return live_; }

  // The pair whose merge loses least, the lower class first, and its loss.
  std::pair<std::pair<size_t, size_t>, double> cheapest() const {
    std::pair<size_t, size_t> best;
    double least = std::numeric_limits<double>::infinity();
    for (const size_t g : live_) {
      for (const size_t h : live_) {
        if (g < h && losses_[g * width_ + h] < least) {
          least = losses_[g * width_ + h];
          best = {g, h};
        }
      }
    }
    return {best, least};
  }

  // Class a takes over class b.
  void merge(size_t a, size_t b) {
    std::erase(live_, b);
    for_others(a, [&](double& kept, size_t g, size_t h) {
      kept -= outside(g, h, a) + outside(g, h, b);
    });
    for (size_t k = 0; k < width_; ++k) at(a, k) += std::exchange(at(b, k), 0);
    for (size_t k = 0; k < width_; ++k) at(k, a) += std::exchange(at(k, b), 0);
    totals_[a] += std::exchange(totals_[b], 0);
    for_others(a, [&](double& kept, size_t g, size_t h) { kept += outside(g, h, a); });
    for (const size_t g : live_) {
      if (g != a) losses_[std::min(g, a) * width_ + std::max(g, a)] = loss(g, a);
    }
  }

 private:
  int64_t& at(size_t g, size_t h) { return counts_[g * width_ + h]; }
  int64_t at(size_t g, size_t h) const { return counts_[g * width_ + h]; }

  template <typename Visit>
  void for_others(size_t a, Visit visit) {
    for (const size_t g : live_) {
      for (const size_t h : live_) {
        if (g < h && g != a && h != a) visit(losses_[g * width_ + h], g, h);
      }
    }
  }

  double joined(int64_t x, int64_t y) const { return term_(x) + term_(y) - term_(x + y); }
  // The part of the loss of merging g and h that lies in their bigrams with class k.
  double outside(size_t g, size_t h, size_t k) const {
    return joined(at(g, k), at(h, k)) + joined(at(k, g), at(k, h));
  }
  double loss(size_t g, size_t h) const {
    double sum = outside(g, h, width_ - 1);  // the boundary
    for (const size_t k : live_) {
      if (k != g && k != h) sum += outside(g, h, k);
    }
    const int64_t within = at(g, g) + at(g, h) + at(h, g) + at(h, h);
    return sum + term_(at(g, g)) + term_(at(g, h)) + term_(at(h, g)) + term_(at(h, h)) -
           term_(within) - 2 * joined(totals_[g], totals_[h]);
  }

  EntropyTerm term_;
  size_t width_;  // classes and the boundary
  std::vector<int64_t> counts_;
  std::vector<int64_t> totals_;
  std::vector<double> losses_;  // of the pair g < h at row g, column h
  std::vector<size_t> live_;    // ascending
};

}  // namespace

ClassTree build_class_tree(const Bigrams& bigrams, std::span<const int32_t> class_of,
                           int32_t n_classes) {
  Merger merger(bigrams, class_of, n_classes);
  ClassTree tree;
  tree.bits.resize(static_cast<size_t>(n_classes));
  if (merger.n_live() == 1) tree.bits[merger.live()[0]] = "0";
  std::vector<std::vector<size_t>> members(static_cast<size_t>(n_classes));
  for (const size_t g : merger.live()) members[g] = {g};
  while (merger.n_live() > 1) {
    end_if_interrupted();
    const auto [pair, loss] = merger.cheapest();
    const auto [a, b] = pair;
    merger.merge(a, b);
    tree.merges.emplace_back(static_cast<int32_t>(a), static_cast<int32_t>(b));
    tree.losses.push_back(loss);
    for (const size_t g : members[a]) tree.bits[g].push_back('0');
    for (const size_t g : members[b]) tree.bits[g].push_back('1');
    members[a].insert(members[a].end(), members[b].begin(), members[b].end());
  }
  for (std::string& bits : tree.bits) std::reverse(bits.begin(), bits.end());  // from the root
  return tree;
}

}  // namespace calque
