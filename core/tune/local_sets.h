// Which blocks could have followed in the events of a text: candidate sets for local training.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blocks/block_table.h"
#include "blocks/orientation.h"
#include "lm/target_lm.h"

namespace calque {

// A block and the side on which it follows, in one number.
inline int32_t to_choice(int32_t block, Side side) {
  return 4 * block + static_cast<int32_t>(side);
}
inline int32_t block_of(int32_t choice) { return choice >> 2; }
inline Side side_of(int32_t choice) { return static_cast<Side>(choice & 3); }

// Events of some sentences, one entry each in all arrays; sentences rise. Sentence i has the target
// words [word_offsets[i], word_offsets[i + 1]).
struct EventList {
  std::span<const int32_t> previous;  // below 0: no block of the table; what is equal is the same
  std::span<const int32_t> block;
  std::span<const int8_t> side;
  std::span<const int32_t> sentence;  // a place in word_offsets
  std::span<const int16_t> target_begin;
  std::span<const int32_t> words;
  std::span<const int64_t> word_offsets;
  // The only blocks of sentence i that may be candidates, rising, if there are offsets:
  // allowed[allowed_offsets[i] .. allowed_offsets[i + 1]). True ones always are.
  std::span<const int32_t> allowed;
  std::span<const int64_t> allowed_offsets;
};

// Set i has the candidates offsets[i] .. offsets[i + 1], rising by choice. Events of one previous
// block that begin at the same target word share a set. 16 bytes per candidate, 8 per event.
struct LocalSets {
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> choices;
  std::vector<float> first;  // ln p of the first target word, of the others together
  std::vector<float> rest;
  std::vector<int32_t> pairs;   // the row of (previous block, block) among the pairs, or -1
  std::vector<int32_t> sets;    // per event
  std::vector<int32_t> truths;  // per event, the place of its own block in its set
};

// Makes the sets of Tillmann & Zhang 2005. The alternatives of a block are the `n_alternatives`
// blocks of its source phrase that `counts` counts most often (ties: the first ones), itself in
// place of the last one if it is not among them. The candidates of an event are the alternatives of
// all blocks that follow the same previous block in the sentence, each on the side of the block
// that it is an alternative of; those of a neutral event are the alternatives of its own block.
// Language-model histories are the words of the sentence before the event.
//
// `pairs` are rows (previous block, block), sorted. Table, model and pairs must outlive the object.
// Memory: 8 bytes per block. Results do not depend on the number of threads.
// Oracle: tests/test_tune_local_sets.py.
class LocalSetBuilder {
 public:
  LocalSetBuilder(const BlockTable& table, std::span<const int32_t> counts, const TargetLm& lm,
                  std::span<const int32_t> pairs, int n_alternatives);

  // Throws Error where an event or a word is none of the table, of the model or of its sentence.
  LocalSets build(const EventList& events, int n_threads) const;

 private:
  class Sentence;
  void check(const EventList& events) const;

  BlockTable table_;
  TargetLm lm_;
  std::span<const int32_t> pairs_;
  size_t n_alternatives_;
  std::vector<int32_t> source_of_;    // per block
  std::vector<int32_t> by_count_;     // the blocks of every source phrase, most frequent first
};

}  // namespace calque
