#include "features/fertility.h"

#include <atomic>

#include "blocks/consistent.h"
#include "parallel.h"

namespace calque {

std::vector<int32_t> fertility_counts(const BlockTable& table, const AlignedCorpus& corpus,
                                      int max_words, int n_threads) {
  const auto n_targets = static_cast<int64_t>(table.target_offsets.size()) - 1;
  std::vector<int32_t> slots(2 * static_cast<size_t>(n_slots(n_targets)));
  index_sources(table.target_words, table.target_offsets, slots);
  const PhraseIndex targets{table.target_words, table.target_offsets, slots};
  std::vector<int32_t> counts(static_cast<size_t>(n_targets * max_words));

  const auto find = [&](std::span<const int32_t> words) {
    uint64_t hash = kEmptyPhraseHash;
    for (const int32_t word : words) hash = extend_hash(hash, word);
    return targets.find(words, hash);
  };
  for_chunks(static_cast<size_t>(corpus.n_sets() * corpus.size()), 256, n_threads, [&] {
    return [&, grid = LinkGrid()](size_t begin, size_t end) mutable {
      for (size_t row = begin; row < end; ++row) {
        const SentencePair pair = corpus.row(static_cast<int64_t>(row));
        grid.assign(pair);
        int64_t phrase = -1;
        int32_t last_begin = -1, last_end = -1;  // one target span comes with many source spans
        for_each_block(grid, max_words, [&](const BlockSpan& span) {
          if (span.target_begin != last_begin || span.target_end != last_end) {
            last_begin = span.target_begin;
            last_end = span.target_end;
            phrase = find(pair.target.subspan(last_begin, last_end - last_begin));
          }
          if (phrase < 0) return;  // none of its blocks was kept
          const int64_t length = span.source_end - span.source_begin;
          const auto at = static_cast<size_t>(phrase * max_words + length - 1);
          std::atomic_ref(counts[at]).fetch_add(1, std::memory_order_relaxed);
        });
      }
    };
  });
  return counts;
}

}  // namespace calque
