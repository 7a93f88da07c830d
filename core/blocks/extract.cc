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

// Where blocks end on the target side: the source positions at which such blocks begin and end.
class Corners {
 public:
  void reset(int32_t n_target) {
    const auto n = static_cast<size_t>(n_target) + 1;
    if (begins_.size() < n) begins_.resize(n), ends_.resize(n);
    for (size_t i = 0; i < n; ++i) begins_[i].clear(), ends_[i].clear();
    ends_[0].push_back(0);  // the empty block before the first words
  }
  void add(const BlockSpan& block) {
    add_once(begins_[block.target_end], block.source_begin);
    add_once(ends_[block.target_end], block.source_end);
  }
  // Blocks that end where `block` begins must have been added before.
  Side side(const BlockSpan& block) const {
    if (has(ends_[block.target_begin], block.source_begin)) return Side::right;
    return has(begins_[block.target_begin], block.source_end) ? Side::left : Side::neutral;
  }

 private:
  static bool has(const std::vector<int32_t>& list, int32_t at) {
    return std::find(list.begin(), list.end(), at) != list.end();
  }
  static void add_once(std::vector<int32_t>& list, int32_t at) {
    if (!has(list, at)) list.push_back(at);
  }
  std::vector<std::vector<int32_t>> begins_, ends_;
};

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
  Corners corners;
  int64_t i = first;
  for (; i < last && static_cast<int64_t>(out.run.size()) < max_records; ++i) {
    const SentencePair pair = corpus[i];
    grid.assign(pair);
    corners.reset(grid.n_target());
    for_each_block(grid, max_words, [&](const BlockSpan& block) {
      const auto [s0, s1, t0, t1] = block;
      corners.add(block);
      const uint64_t source =
          ids.source[(s1 - s0 - 1) * corpus.source.size() + pair.source_begin + s0];
      const uint32_t target =
          ids.target[(t1 - t0 - 1) * corpus.target.size() + pair.target_begin + t0];
      const auto previous = orientation(grid.linked(s0 - 1, t0 - 1), grid.linked(s1, t0 - 1));
      const auto next = orientation(grid.linked(s1, t1), grid.linked(s0 - 1, t1));
      out.run.push_back({source << 32 | target, inner_links(grid, block),
                         record_tail(previous, next, corners.side(block), 1)});
      std::atomic_ref(target_counts[target]).fetch_add(1, std::memory_order_relaxed);
    });
  }
  aggregate(out.run);
  out.next_sentence = i;
  return out;
}

}  // namespace calque
