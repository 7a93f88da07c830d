// Decoding sentences of the training corpus as if the block table had not seen their pairs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "blocks/block_table.h"
#include "blocks/corpus.h"
#include "blocks/pair_counts.h"
#include "blocks/target_index.h"

namespace calque {

// The corpus that a block table was extracted from, ready to be asked for the blocks of its pairs.
// Views; shared by threads.
struct TrainingCorpus {
  // `rules`: what extraction took. Throws Error where the table has no counts.
  TrainingCorpus(const AlignedCorpus& pairs, const BlockTable& blocks, const RuleLimits& rules);

  AlignedCorpus corpus;
  BlockTable table;
  RuleLimits limits;
  TargetIndex targets;
  std::vector<int32_t> word_counts;  // occurrences of each source word
};

// What is left out of the model for a pair.
struct LeaveOneOut {
  enum class What {
    kCounts,          // its counts (Wuebker et al. 2015): p = (N - N_pair) / (N_given - N_given,pair)
    kOneCountBlocks,  // blocks that occur once in the corpus, in this pair (Yu et al. 2013), and rules
                      // with gaps that occur in this pair alone
  };
  // ln p, in both directions, of a block whose counts are all of the pair.
  struct Penalty {
    float fixed, per_word;  // words of both sides
  };

  const TrainingCorpus* training;
  What what;
  std::optional<Penalty> unseen;  // kCounts; without, such a block does not exist
};

// What the block table would be without one pair, where it differs. Lexical weights, orientations
// and all other scores stay as they are. One per thread.
class PairLeftOut {
 public:
  // What is added to ln p(source | target) and to ln p(target | source).
  using Change = std::array<float, 2>;

  explicit PairLeftOut(const LeaveOneOut& how)
      : how_(how), table_(how.training->table),
        own_(table_, how.training->targets, how.training->limits) {}

  // Leaves out this pair from now on; -1: none.
  void begin(int64_t pair);
  bool is_active() const { return active_; }

  // Those of some blocks of a source phrase that change more than all of its blocks do. Valid until
  // the next call.
  std::span<const int64_t> own_blocks(int64_t phrase, const BlockRange& some);
  bool is_own(int64_t phrase, int64_t block) const;
  // How any block of the phrase changes; none: it is gone.
  std::optional<Change> change(int64_t phrase, int64_t block) const {
    return is_own(phrase, block) ? own_change(phrase, block) : common_change(phrase);
  }
  // How blocks change that are not own ones.
  Change common_change(int64_t phrase) const;
  // Whether all blocks of the phrase are gone.
  bool forgets(int64_t phrase) const;

 private:
  std::optional<Change> own_change(int64_t phrase, int64_t block) const;
  bool has_every(int32_t word) const;

  LeaveOneOut how_;
  BlockTable table_;
  PairCounts own_;
  bool active_ = false;
  std::span<const int32_t> source_;  // of the pair
  std::vector<int64_t> own_blocks_;
};

}  // namespace calque
