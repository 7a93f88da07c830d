// How often blocks occur in one sentence pair, by the phrases of a block table.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "blocks/block_table.h"
#include "blocks/corpus.h"
#include "blocks/rules.h"
#include "blocks/target_index.h"

namespace calque {

// Counts of a few keys, asked for many that have none: one bit answers most of these.
class FewCounts {
 public:
  void clear() { counts_.clear(); }
  void add(uint64_t key) { counts_.push_back({key, 1}); }
  // Call after the last `add`.
  void finish();
  int32_t operator[](uint64_t key) const {
    const uint64_t bit = bit_of(key);
    return (bits_[bit / 64] >> bit % 64 & 1) != 0 ? find(key) : 0;
  }

 private:
  struct Count {
    uint64_t key;
    int32_t n;
  };
  static constexpr int kBits = 12;
  static uint64_t bit_of(uint64_t key) { return (key * 0x9e3779b97f4a7c15ULL) >> (64 - kBits); }
  int32_t find(uint64_t key) const;

  std::vector<Count> counts_;  // sorted by key
  std::array<uint64_t, (1 << kBits) / 64> bits_{};
};

// The blocks of one sentence pair, rules among them, extracted again from its links: its share in
// the counts behind a block table. Phrases that the table lacks are left out. Reused from pair to
// pair; one per thread. Oracle: tests/test_decode_leave_one_out.py (tables made without the pair).
class PairCounts {
 public:
  // `limits`: of extraction; without rules, max_gaps is 0. Table and index must outlive it.
  PairCounts(const BlockTable& table, const TargetIndex& targets, const RuleLimits& limits)
      : table_(table), targets_(&targets), max_words_(limits.max_words), finder_(limits) {}

  // The pair `i` of the corpus, with all its sets of links.
  void count(const AlignedCorpus& corpus, int64_t i);

  int32_t of_source(int64_t phrase) const { return sources_[static_cast<uint64_t>(phrase)]; }
  int32_t of_target(int32_t phrase) const { return target_counts_[static_cast<uint64_t>(phrase)]; }
  int32_t of_block(int64_t source, int32_t target) const { return blocks_[key(source, target)]; }

 private:
  static uint64_t key(int64_t source, int64_t target) {
    return static_cast<uint64_t>(source) << 32 | static_cast<uint32_t>(target);
  }

  BlockTable table_;
  const TargetIndex* targets_;
  int max_words_;
  RuleFinder finder_;
  LinkGrid grid_;
  FewCounts sources_, target_counts_, blocks_;
  std::vector<int64_t> source_ids_, target_ids_;  // of spans (begin, length) without gaps met so far
};

}  // namespace calque
