// Statistics of METEOR: an alignment of words in stages, and the chunks that it falls into.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace calque {

// What is known of words beyond their ids. Empty spans leave a stage out.
struct WordClasses {
  std::span<const int32_t> stems;            // by word
  std::span<const int64_t> synset_offsets;   // synsets of word w: [synset_offsets[w], .. [w + 1])
  std::span<const int32_t> synsets;          // sorted for each word
};

struct MeteorCounts {
  int32_t n_matches = 0;
  int32_t n_chunks = 0;  // runs of matches that are adjacent and in order on both sides
};

// Aligns equal words, then words of equal stem among those left, then synonyms. Each stage makes as
// many matches as can be made and, of those alignments, takes one with few chunks: a beam search
// over the hypothesis, exact while no more than `kBeam` alignments differ in what is still free.
// Owns scratch memory; one per thread. Oracle: tests/test_metrics_meteor.py (all alignments of short
// sentences).
class MeteorAligner {
 public:
  static constexpr size_t kBeam = 64;

  MeteorCounts align(std::span<const int32_t> hypothesis, std::span<const int32_t> reference,
                     const WordClasses& classes);

 private:
  struct State {
    int32_t parent;   // in the states of the word before
    int32_t place;    // the reference word taken, or kFree
    int32_t n_taken;  // in this stage
    int32_t n_chunks;
    int32_t rank() const { return 2 * n_chunks - n_taken; }
  };

  template <typename Matches>
  void run_stage(size_t n_words, size_t n_places, Matches matches);
  bool take_single_candidates(size_t n_places);
  void find_components(size_t n_places);
  bool augment(size_t word, std::vector<uint8_t>& visited);
  void search(size_t n_places);
  void expand(size_t word, size_t state, bool may_always_skip);
  void keep_best();

  std::vector<int32_t> partner_;                  // of each hypothesis word, or kFree
  std::vector<uint8_t> taken_;                    // reference words, by earlier stages
  std::vector<std::vector<int32_t>> candidates_;  // of each hypothesis word in this stage
  std::vector<int32_t> component_;                // of hypothesis words, then reference words
  std::vector<int32_t> matched_;                  // a largest matching: the word of each place
  std::vector<int32_t> n_skips_;                  // that each component allows
  std::vector<int32_t> n_begun_;                  // words of each component so far
  std::vector<std::vector<State>> steps_;         // states after each word
  std::vector<State> next_;
  size_t n_mask_ = 0;                             // 64-bit pieces of a mask of taken places
  std::vector<uint64_t> masks_, next_masks_, kept_masks_, component_masks_;
  std::vector<int32_t> order_;
};

// Sentences as ids: sentence i is ids[offsets[i] .. offsets[i + 1]).
struct IdLines {
  std::span<const int32_t> ids;
  std::span<const int64_t> offsets;
  std::span<const int32_t> operator[](size_t i) const {
    return ids.subspan(static_cast<size_t>(offsets[i]),
                       static_cast<size_t>(offsets[i + 1] - offsets[i]));
  }
  size_t size() const { return offsets.size() - 1; }
};

// Per hypothesis: matches, chunks, its length, the reference length, against the reference that
// gives the highest score; reference k of sentence s is line s * n_sets + k. Columns: 4.
std::vector<double> meteor_statistics(const IdLines& hypotheses,
                                      std::span<const int64_t> sentences,
                                      const IdLines& references, size_t n_sets,
                                      const WordClasses& classes, int n_threads);

}  // namespace calque
