// Word alignment by Gibbs sampling: links drawn one at a time, given all other links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/lexical.h"
#include "align/pairs.h"
#include "huge_pages.h"

namespace calque::align {

struct SamplerOptions {
  double null_prob;         // of a word that comes from no word
  double lexical_prior;     // Dirichlet priors: per generated word type, given a word
  double null_prior;        // per generated word type, given the null word
  double jump_prior;        // of a step of 1
  double fertility_prior;   // per number of words that come from a word
  int32_t jump_width;       // longest jump with a weight of its own
  int32_t max_words;        // longest sentence
  int32_t n_chains;         // independent samples of all links
  int32_t first_chain;      // number of the first: what a chain draws depends on its number alone
  int64_t batch;            // sentence pairs that do not see each other's moves; 0: by corpus size
  uint64_t seed;
};

// What a link depends on: the words; the jumps to and from it as well; how many words its word has
// generated as well.
enum class SamplerStage { kModel1, kHmm, kFertility };

// The Bayesian model of Östling and Tiedemann (2016) in one direction. Every generated word comes
// from one given word or from the null word. The score of all links is the product of
// - p(generated word | given word) and, per link, the probability of being null or not;
// - the weight of every jump between the positions of neighbouring links that are not null, the
//   first from -1 and the last to one behind the end; distances beyond +-width share a weight;
// - p(number of words that come from it | given word), for every given word.
// The three distributions have Dirichlet priors, the same for all words and fertilities; that of
// jumps falls with the square of the distance from a step of 1. Words and fertilities are collapsed:
// a link is drawn with their expected values given all other links; jump weights are drawn once a
// sweep. With batches of one sentence pair this is a Gibbs sampler of the model; with longer ones
// the pairs of a batch are drawn with the counts at its beginning (Newman et al. 2009, section 3),
// and the result does not depend on the number of threads.
//
// Chains do not know of each other, and marginals are sums of integers: each chain may have a sampler
// of its own, wherever that is.
//
// Memory: per chain, 4 bytes per distinct pair of words, 8 per running word, and 44 per word type;
// for all chains, 4 per cell once marginals are recorded. Bitext and pairs must outlive the object.
// Oracle: tests/test_align_sampler.py (enumeration).
class LinkSampler {
 public:
  LinkSampler(const Bitext& bitext, const PairTable& pairs, Direction direction,
              const SamplerOptions& options);

  // Draws every link of every chain once. With `record` the distributions that they were drawn
  // from are added to the marginals; throws Error where they were added too often to hold the sum.
  void sweep(SamplerStage stage, bool record, int n_threads);

  // For every word of the generated side the position that it comes from; -1: none.
  std::vector<int32_t> links(int32_t chain) const;
  // The same, by the recorded marginals: the most probable one for each word on its own.
  std::vector<int32_t> best_links() const;
  // The mean of the recorded distributions: of every cell (generated, given) of every sentence.
  std::vector<float> marginals() const;
  // Their sums, in multiples of 1 / kOne; the sampler is left without.
  std::vector<uint32_t> take_marginals();

  static constexpr uint32_t kOne = 1 << 20;

 private:
  static constexpr size_t kFertilities = 10;  // the last one stands for all that are larger
  struct SentencePair {
    size_t number;
    std::span<const int32_t> given, made;
    size_t made_at;  // where the words of the generated side begin in the corpus
  };
  class Worker;

  SentencePair sentence(size_t number) const;
  size_t pair(const SentencePair& words, size_t made, size_t given) const;
  size_t jump_bucket(int32_t distance) const;
  double jump_prior(size_t bucket) const;
  void begin_chains();
  void draw_jumps(SamplerStage stage);
  void for_batch(size_t begin, size_t end, SamplerStage stage, bool record, int n_threads);
  // Makes the fresh links of a sentence pair the present ones, in the counts as well.
  void accept(const SentencePair& words, size_t chain, std::vector<int32_t>& fertilities);
  void count_jumps(const SentencePair& words, size_t chain);
  void count_fertility(int32_t word, size_t chain, int32_t fertility, int32_t change);

  Bitext bitext_;
  const PairTable& pairs_;
  Direction direction_;
  SamplerOptions options_;
  size_t n_chains_, batch_;
  size_t n_made_types_, n_made_words_;
  uint64_t n_sweeps_ = 0;
  int64_t n_recorded_ = 0;

  // Of the chains side by side: a cell is read for all of them in turn.
  LargeVector<int32_t> pair_counts_;                               // [pair][chain]
  std::vector<int32_t> given_counts_, null_counts_;                // [word][chain]
  std::vector<int32_t> null_totals_;                               // [chain]
  std::vector<int32_t> fertility_counts_;                          // [word][chain][fertility]
  std::vector<int64_t> jump_counts_;                               // [chain][bucket]
  std::vector<std::vector<float>> jumps_, jumps_back_;             // [chain][distance + reach]
  std::vector<int32_t> links_, fresh_;                             // [chain][generated word]
  std::vector<uint32_t> marginals_;                                // sums, by cell
};

// `LinkSampler::best_links` by marginals that several samplers took, added up: `n_recorded` sweeps of
// chains were recorded.
std::vector<int32_t> best_links(const Bitext& bitext, const PairTable& pairs, Direction direction,
                                std::span<const uint32_t> marginals, int64_t n_recorded);

}  // namespace calque::align
