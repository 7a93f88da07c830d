// Sentence BLEU as oracle searches maximise it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/reference_ngrams.h"

namespace calque {

// Sentence BLEU against the references of one sentence, smoothed: add-one for orders from 2 (Tillmann
// & Zhang 2008 have it without brevity penalty). Matches are clipped by the reference that has most;
// the brevity penalty takes the reference closest in length, of two the shorter.
class OracleBleu {
 public:
  using Matches = std::array<int32_t, ReferenceNgrams::kOrder>;

  // Fast for translations of up to `most_words` words.
  OracleBleu(std::span<const int> reference_lengths, bool brevity_penalty, int most_words);

  bool has_brevity_penalty() const { return brevity_penalty_; }
  // Of the part of a translation that comes from a `share` of the source words: it need not be longer
  // than this share of a reference.
  double operator()(const Matches& matches, int length, double share) const;

 private:
  std::vector<int> lengths_;  // ascending
  bool brevity_penalty_;
  std::vector<double> logs_;
};

}  // namespace calque
