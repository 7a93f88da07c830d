// One set of links from the links of two directions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace calque::align {

// intersection and union; grow-diag starts from the intersection and adds links of the union that
// touch a present link, straight or diagonally, and cover a word without a link (Koehn, Och and
// Marcu 2003); final adds the other links of the union that cover a word without a link, final-and
// those whose two words have none.
enum class Symmetrization { intersection, union_, grow_diag, grow_diag_final, grow_diag_final_and };

// A (source position, target position) pair. Links of a sentence are sorted by source, then target.
struct Link {
  int32_t source, target;
  friend auto operator<=>(const Link&, const Link&) = default;
};

// The links of one sentence pair of these lengths; inputs sorted and within the lengths. Growing
// sweeps over source and then target positions until nothing changes; a link added in a sweep is
// seen by it if it lies ahead. Oracle: tests/test_align_symmetrize.py.
class Symmetrizer {
 public:
  std::span<const Link> operator()(std::span<const Link> forward, std::span<const Link> reverse,
                                   int32_t n_sources, int32_t n_targets, Symmetrization method);

 private:
  void grow_diag();
  void final(bool both);
  void add(int32_t i, int32_t j);

  int32_t n_sources_ = 0, n_targets_ = 0;
  std::vector<uint8_t> in_union_, linked_, source_linked_, target_linked_;
  std::vector<Link> links_;
};

// The links of many sentence pairs: those of pair n are links[offsets[n] .. offsets[n + 1]).
struct LinkLists {
  std::span<const Link> links;
  std::span<const int64_t> offsets;

  std::span<const Link> operator[](size_t n) const {
    return links.subspan(static_cast<size_t>(offsets[n]),
                         static_cast<size_t>(offsets[n + 1] - offsets[n]));
  }
};

struct SymmetrizedLinks {
  std::vector<Link> links;
  std::vector<int64_t> offsets{0};
};

// The same for many sentence pairs; sentences of either side have the lengths between its offsets.
// Throws Error for a link outside its sentence pair.
SymmetrizedLinks symmetrize(const LinkLists& forward, const LinkLists& reverse,
                            std::span<const int64_t> source_offsets,
                            std::span<const int64_t> target_offsets, Symmetrization method);

}  // namespace calque::align
