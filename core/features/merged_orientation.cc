#include "features/merged_orientation.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "blocks/target_index.h"
#include "parallel.h"

namespace calque {
namespace {

// Finds blocks by their phrases, however many a source phrase has.
class BlockIndex {
 public:
  BlockIndex(const BlockTable& table, int n_threads)
      : table_(table), targets_(table), by_target_(static_cast<size_t>(table.n_blocks())) {
    for_chunks(static_cast<size_t>(table.n_sources()), 1024, n_threads, [&] {
      return [&](size_t begin, size_t end) {
        for (size_t phrase = begin; phrase < end; ++phrase) {
          const auto [first, last] = table_.blocks(static_cast<int64_t>(phrase));
          const auto order = std::span(by_target_).subspan(first, last - first);
          std::iota(order.begin(), order.end(), 0);
          std::ranges::sort(order, {}, [&, from = first](int32_t i) {
            return table_.target_phrase[from + i];
          });
        }
      };
    });
  }

  // The row of a block, or -1.
  int64_t find(std::span<const int32_t> source, std::span<const int32_t> target) const {
    const int64_t phrase = table_.find(source);
    const int64_t wanted = phrase < 0 ? -1 : targets_.find(target);
    if (wanted < 0) return -1;
    const auto [first, last] = table_.blocks(phrase);
    const auto order = std::span(by_target_).subspan(first, last - first);
    const auto target_of = [&, from = first](int32_t i) { return table_.target_phrase[from + i]; };
    const auto at = std::ranges::lower_bound(order, wanted, {}, target_of);
    return at != order.end() && target_of(*at) == wanted ? first + *at : -1;
  }

 private:
  BlockTable table_;
  TargetIndex targets_;
  std::vector<int32_t> by_target_;  // the blocks of each source phrase, counted from its first one
};

}  // namespace

void MergedCorners::assign(const LinkGrid& grid) {
  width_ = static_cast<size_t>(grid.n_target()) + 1;
  touches_.assign((static_cast<size_t>(grid.n_source()) + 1) * width_, 0);
  for_each_block(grid, std::max(grid.n_source(), grid.n_target()), [&](const BlockSpan& pair) {
    at(pair.source_end, pair.target_end) |= kBeforeBefore;
    at(pair.source_begin, pair.target_end) |= kAfterBefore;
    at(pair.source_begin, pair.target_begin) |= kAfterAfter;
    at(pair.source_end, pair.target_begin) |= kBeforeAfter;
  });
  at(0, 0) |= kBeforeBefore;
  at(grid.n_source(), grid.n_target()) |= kAfterAfter;
}

Orientation MergedCorners::previous(const BlockSpan& block) const {
  if (has(block.source_begin, block.target_begin, kBeforeBefore)) return kMonotone;
  return has(block.source_end, block.target_begin, kAfterBefore) ? kSwap : kDiscontinuous;
}

Orientation MergedCorners::next(const BlockSpan& block) const {
  if (has(block.source_end, block.target_end, kAfterAfter)) return kMonotone;
  return has(block.source_begin, block.target_end, kBeforeAfter) ? kSwap : kDiscontinuous;
}

std::vector<int32_t> merged_orientation_counts(const BlockTable& table, const AlignedCorpus& corpus,
                                               int max_words, int n_threads) {
  const BlockIndex index(table, n_threads);
  std::vector<int32_t> counts(6 * static_cast<size_t>(table.n_blocks()));
  for_chunks(static_cast<size_t>(corpus.n_sets() * corpus.size()), 256, n_threads, [&] {
    return [&, grid = LinkGrid(), corners = MergedCorners()](size_t begin, size_t end) mutable {
      for (size_t i = begin; i < end; ++i) {
        const SentencePair pair = corpus.row(static_cast<int64_t>(i));
        grid.assign(pair);
        corners.assign(grid);
        for_each_block(grid, max_words, [&](const BlockSpan& block) {
          const auto [s0, s1, t0, t1] = block;
          const int64_t row =
              index.find(pair.source.subspan(s0, s1 - s0), pair.target.subspan(t0, t1 - t0));
          if (row < 0) return;  // it was pruned
          const auto at = 6 * static_cast<size_t>(row);
          for (const size_t way : {size_t{0} + corners.previous(block), size_t{3} + corners.next(block)}) {
            std::atomic_ref(counts[at + way]).fetch_add(1, std::memory_order_relaxed);
          }
        });
      }
    };
  });
  return counts;
}

}  // namespace calque
