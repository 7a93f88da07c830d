#include "blocks/extract.h"

#include <algorithm>
#include <atomic>

#include "blocks/consistent.h"
#include "error.h"
#include "interrupt.h"

namespace calque {
namespace {

Orientation orientation(bool straight, bool crossed) {
  if (straight == crossed) return kDiscontinuous;
  return straight ? kMonotone : kSwap;
}

uint64_t hash_of(std::span<const int32_t> phrase) {
  uint64_t hash = kEmptyPhraseHash;
  for (const int32_t symbol : phrase) hash = extend_hash(hash, symbol);
  return hash;
}

uint32_t find_side(const PhraseIndex& index, const RuleSide& side) {
  const int64_t id = index.find(side.view(), hash_of(side.view()));
  if (id < 0) throw Error("an index lacks a side of a rule of its corpus");
  return static_cast<uint32_t>(id);
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

// Records of the pairs first .. last: what `extract_from(pair, run)` appends for each set of links.
template <typename ExtractFrom>
Extracted run_of(const AlignedCorpus& corpus, int64_t first, int64_t last, int64_t max_records,
                 ExtractFrom extract_from) {
  Extracted out;
  int64_t i = first;
  for (; i < last && static_cast<int64_t>(out.run.size()) < max_records; ++i) {
    end_if_interrupted();
    for (int64_t set = 0; set < corpus.n_sets(); ++set) extract_from(corpus.pair(i, set), out.run);
  }
  aggregate(out.run);
  out.next_sentence = i;
  return out;
}

}  // namespace

Extracted extract(const AlignedCorpus& corpus, const PhraseIds& ids, int max_words, int64_t first,
                  int64_t last, int64_t max_records, std::span<uint32_t> target_counts) {
  LinkGrid grid;
  const auto extract_from = [&](const SentencePair& pair, std::vector<Record>& run) {
    grid.assign(pair);
    for_each_block(grid, max_words, [&](const BlockSpan& block) {
      const auto [s0, s1, t0, t1] = block;
      const uint64_t source =
          ids.source[(s1 - s0 - 1) * corpus.source.size() + pair.source_begin + s0];
      const uint32_t target =
          ids.target[(t1 - t0 - 1) * corpus.target.size() + pair.target_begin + t0];
      const auto previous = orientation(grid.linked(s0 - 1, t0 - 1), grid.linked(s1, t0 - 1));
      const auto next = orientation(grid.linked(s1, t1), grid.linked(s0 - 1, t1));
      run.push_back({source << 32 | target, inner_links(grid, {block, {}, 0}),
                     record_tail(previous, next, 1)});
      std::atomic_ref(target_counts[target]).fetch_add(1, std::memory_order_relaxed);
    });
  };
  return run_of(corpus, first, last, max_records, extract_from);
}

Extracted extract_rules(const AlignedCorpus& corpus, const PhraseIndex& sources,
                        const PhraseIndex& targets, const RuleLimits& limits, int64_t first,
                        int64_t last, int64_t max_records, std::span<uint32_t> target_counts) {
  LinkGrid grid;
  RuleFinder finder(limits);
  const auto extract_from = [&](const SentencePair& pair, std::vector<Record>& run) {
    grid.assign(pair);
    finder.for_each(grid, [&](const RuleSpan& rule) {
      const uint64_t source = find_side(sources, source_side(pair, rule));
      const uint32_t target = find_side(targets, target_side(pair, rule));
      run.push_back({source << 32 | target, inner_links(grid, rule),
                     record_tail(kMonotone, kMonotone, 1)});
      std::atomic_ref(target_counts[target]).fetch_add(1, std::memory_order_relaxed);
    });
  };
  return run_of(corpus, first, last, max_records, extract_from);
}

}  // namespace calque
