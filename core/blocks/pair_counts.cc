#include "blocks/pair_counts.h"

#include <algorithm>

namespace calque {
namespace {

constexpr int64_t kNotLookedUp = -2;

}  // namespace

void FewCounts::finish() {
  std::ranges::sort(counts_, {}, &Count::key);
  size_t n = 0;
  for (const Count& count : counts_) {
    if (n > 0 && counts_[n - 1].key == count.key) {
      ++counts_[n - 1].n;
    } else {
      counts_[n++] = count;
    }
  }
  counts_.resize(n);
  bits_.fill(0);
  for (const Count& count : counts_) {
    const uint64_t bit = bit_of(count.key);
    bits_[bit / 64] |= uint64_t{1} << bit % 64;
  }
}

int32_t FewCounts::find(uint64_t key) const {
  const auto at = std::ranges::lower_bound(counts_, key, {}, &Count::key);
  return at != counts_.end() && at->key == key ? at->n : 0;
}

void PairCounts::count(const AlignedCorpus& corpus, int64_t i) {
  const SentencePair pair = corpus[i];
  for (FewCounts* counts : {&sources_, &target_counts_, &blocks_}) counts->clear();
  const auto width = static_cast<size_t>(max_words_);
  source_ids_.assign(pair.source.size() * width, kNotLookedUp);
  target_ids_.assign(pair.target.size() * width, kNotLookedUp);
  const auto look_up = [&](std::vector<int64_t>& ids, std::span<const int32_t> words, int32_t begin,
                           int32_t end, const auto& phrases) {
    const auto from = static_cast<size_t>(begin), n = static_cast<size_t>(end - begin);
    int64_t& id = ids[from * width + n - 1];
    if (id == kNotLookedUp) id = phrases.find(words.subspan(from, n));
    return id;
  };
  const auto add = [&](const RuleSpan& rule) {
    const BlockSpan& whole = rule.whole;
    const bool has_gaps = rule.n_gaps > 0;
    const int64_t source =
        has_gaps ? table_.find(source_side(pair, rule).view())
                 : look_up(source_ids_, pair.source, whole.source_begin, whole.source_end, table_);
    const int64_t target =
        has_gaps ? targets_->find(target_side(pair, rule).view())
                 : look_up(target_ids_, pair.target, whole.target_begin, whole.target_end, *targets_);
    if (source >= 0) sources_.add(static_cast<uint64_t>(source));
    if (target >= 0) target_counts_.add(static_cast<uint64_t>(target));
    if (source >= 0 && target >= 0) blocks_.add(key(source, target));
  };
  for (int64_t set = 0; set < corpus.n_sets(); ++set) {
    grid_.assign(corpus.pair(i, set));
    finder_.for_each(grid_, add);
  }
  for (FewCounts* counts : {&sources_, &target_counts_, &blocks_}) counts->finish();
}

}  // namespace calque
