// What updates on search errors are computed from, whatever the engine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/gold_lattices.h"
#include "decode/sparse_features.h"
#include "parallel.h"
#include "tune/violation.h"

namespace calque {

// The features of a derivation.
struct DerivedFeatures {
  std::vector<double> dense;
  SparseVector sparse;
};

// The update in a bin that prefers `good` to `bad`; none where their features are equal.
Violation prefer(const DerivedFeatures& good, const DerivedFeatures& bad, int32_t bin, double margin);

// The translation whose BLEU by itself is the highest; of equal ones the first.
size_t closest(std::span<const std::vector<int32_t>> translations,
               std::span<const int32_t> reference);

// The numbers of the lattices `chosen` in the order in which threads take them: the longest first,
// then no thread is left with one at the end.
std::vector<size_t> longest_first(const GoldView& lattices, std::span<const int64_t> chosen);

// A pair whose derivations a lattice holds.
struct LatticePair {
  size_t lattice;
  SentenceView source;
  std::span<const int32_t> reference;
  bool is_whole;
};

// What finders say of the lattices `chosen`; `make_finder()` is called once per thread, and
// `find(pair)` of what it gives once per lattice.
template <typename MakeFinder>
std::vector<Violation> find_in_each(const SourceText& source,
                                    const ReferenceTexts::Text& references,
                                    const GoldView& lattices, std::span<const int64_t> chosen,
                                    int n_threads, MakeFinder make_finder) {
  const SourceText targets{references.ids, references.offsets, references.ids, {}, 0, {}};
  std::vector<Violation> violations(chosen.size());
  const std::vector<size_t> order = longest_first(lattices, chosen);
  for_chunks(chosen.size(), 1, n_threads, [&] {
    return [&, finder = make_finder()](size_t at, size_t) mutable {
      const auto lattice = static_cast<size_t>(chosen[order[at]]);
      const auto pair = static_cast<size_t>(lattices.pairs[lattice]);
      const auto n_source = static_cast<size_t>(lattices.n_source[lattice]);
      const auto n_target = static_cast<size_t>(lattices.n_target[lattice]);
      violations[order[at]] = finder.find({lattice, source.sentence(pair).first(n_source),
                                           targets.sentence(pair).words.first(n_target),
                                           lattices.is_whole[lattice] != 0});
    };
  });
  return violations;
}

}  // namespace calque
