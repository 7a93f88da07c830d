// Which candidate of a list agrees most with all the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace calque {

// Lists of word sequences. Candidate c is words[word_offsets[c] .. word_offsets[c + 1]), list l is
// the candidates offsets[l] .. offsets[l + 1]. Equal words of a list have equal numbers.
struct CandidateWords {
  std::span<const int32_t> words;
  std::span<const int64_t> word_offsets;
  std::span<const int64_t> offsets;
};

// The expected sentence BLEU (0 to 1) of every candidate, where candidate c of its list is the
// reference with probability probabilities[c]: what a minimum-Bayes-risk decoder maximises (Kumar &
// Byrne 2004). BLEU is smoothed by one from bigrams on; a candidate without words has none. All pairs
// of a list are compared, so time grows with its square: a list of 100 takes about 0.3 ms. Results do
// not depend on n_threads. Oracle: tests/test_decode_consensus.py (collections.Counter).
std::vector<double> expected_bleu(const CandidateWords& lists, std::span<const double> probabilities,
                                  int n_threads);

}  // namespace calque
