#include "blocks/extract.h"

#include <algorithm>
#include <atomic>

#include "blocks/consistent.h"

namespace calque {
namespace {

Orientation orientation(bool straight, bool crossed) {
  if (straight == crossed) return kDiscontinuous;
  return straight ? kMonotone : kSwap;
}

uint64_t inner_links(const LinkGrid& grid, const BlockSpan& block) {
  uint64_t links = 0;
  for (int32_t t = block.target_begin; t < block.target_end; ++t) {
    const int shift = kMaxWords * (t - block.target_begin);
    for (const int32_t s : grid.sources_of(t)) {
      links |= uint64_t{1} << (shift + s - block.source_begin);
    }
  }
  return links;
}

// Sorts, and sums the counts of records of the same kind.
void aggregate(std::vector<Record>& records) {
  std::sort(records.begin(), records.end());
  size_t n = 0;
  for (const Record& record : records) {
    if (n > 0 && records[n - 1].same_kind(record)) {
      records[n - 1].tail += record.count();
    } else {
      records[n++] = record;
    }
  }
  records.resize(n);
  records.shrink_to_fit();
}

}  // namespace

Extracted extract(const AlignedCorpus& corpus, const PhraseIds& ids, int max_words, int64_t first,
                  int64_t last, int64_t max_records, std::span<uint32_t> target_counts) {
  Extracted out;
  LinkGrid grid;
  int64_t i = first;
  const auto extract_from = [&](const SentencePair& pair) {
    grid.assign(pair);
    for_each_block(grid, max_words, [&](const BlockSpan& block) {
      const auto [s0, s1, t0, t1] = block;
      const uint64_t source =
          ids.source[(s1 - s0 - 1) * corpus.source.size() + pair.source_begin + s0];
      const uint32_t target =
          ids.target[(t1 - t0 - 1) * corpus.target.size() + pair.target_begin + t0];
      const auto previous = orientation(grid.linked(s0 - 1, t0 - 1), grid.linked(s1, t0 - 1));
      const auto next = orientation(grid.linked(s1, t1), grid.linked(s0 - 1, t1));
      out.run.push_back({source << 32 | target, inner_links(grid, block),
                         record_tail(previous, next, 1)});
      std::atomic_ref(target_counts[target]).fetch_add(1, std::memory_order_relaxed);
    });
  };
  for (; i < last && static_cast<int64_t>(out.run.size()) < max_records; ++i) {
    for (int64_t set = 0; set < corpus.n_sets(); ++set) extract_from(corpus.pair(i, set));
  }
  aggregate(out.run);
  out.next_sentence = i;
  return out;
}

}  // namespace calque
