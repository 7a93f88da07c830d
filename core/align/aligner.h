// EM for word alignment, both directions at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "align/hmm.h"
#include "align/jumps.h"
#include "align/lexical.h"
#include "align/pairs.h"
#include "align/trellis.h"

namespace calque::align {

struct AlignerOptions {
  double null_prob;       // of a word that comes from no word
  double alpha;           // Dirichlet prior of the lexical probabilities; 0: none
  double tension;         // of Model 1 towards the diagonal; 0: Model 1 proper
  double jump_smoothing;  // share of the uniform distribution in the jump weights
  int32_t jump_width;     // longest jump with a weight of its own
  int32_t max_words;      // longer sentences take no part
};

// Views of what `ExpectedCounts` has.
struct ExpectedCountsView {
  std::span<const int64_t> pairs;
  std::array<std::span<const int64_t>, 2> null;
  std::array<std::span<const int64_t>, 2> jumps;
};

// Model 1 and HMM aligners of a bitext, in both directions over one table of word pairs. Results do
// not depend on the number of threads, to the last bit. The bitext must outlive the object.
class Aligner {
 public:
  // `pairs`, if any, is the table of word pairs of the bitext, found before; it must outlive this.
  Aligner(const Bitext& bitext, const AlignerOptions& options, int n_threads,
          const std::optional<PairTable::Arrays>& pairs = {});
  Aligner(const Aligner&) = delete;  // its parts refer to one another

  // One iteration of EM, from the present lexical probabilities (at first uniform) and jumps; the
  // log-likelihoods (natural) of the parameters before the step, forward and reverse.
  // With `null_is_position` the null word of Model 1 is one more position instead of having a
  // probability of its own.
  std::pair<double, double> model1_step(bool null_is_position, int n_threads);
  // With `agreement` the expected count of a link is the product of its posteriors in the two
  // directions, which draws both models towards links that both believe in (Liang, Taskar and Klein
  // 2006); the likelihoods may then fall.
  std::pair<double, double> hmm_step(bool agreement, int n_threads);

  // For every target word the position of its source word, and for every source word that of its
  // target word, on the most probable paths of the HMMs; -1: none.
  std::pair<std::vector<int32_t>, std::vector<int32_t>> best_paths(int n_threads) const;

  // The same EM over parts of the bitext, wherever each part is: this aligner knows the whole, others
  // know a part each (stretches of whole chunks: multiples of `kSentencesPerChunk`). In every
  // iteration a part is given the parameters of what it meets, counts, and hands its counts over;
  // these are integers, so the parameters that follow have the bits of `model1_step` or `hmm_step`.
  const Lexical& lexical() const { return lexical_; }
  void set_parameters(std::span<const float> probs, std::array<std::span<const float>, 2> null,
                      std::array<Jumps, 2> jumps);
  ExpectedCounts count_model1(bool null_is_position, int n_threads);
  ExpectedCounts count_hmm(bool agreement, int n_threads);
  void add_counts(std::span<const int64_t> pairs, const ExpectedCountsView& counts);
  void estimate(bool with_jumps, int n_threads);

  static constexpr size_t kSentencesPerChunk = 64;
  size_t size() const { return bitext_.size(); }  // sentence pairs
  size_t n_jump_counts() const { return jump_counts_[kForward].size(); }
  const PairTable& pairs() const { return pairs_; }
  const Jumps& jumps(Direction direction) const { return jumps_[direction]; }

 private:
  using Trellises = std::array<Trellis, 2>;
  void load(size_t sentence, Trellises& trellises) const;
  void count(size_t sentence, const Trellises& trellises);
  template <typename MakeWorker>
  std::pair<double, double> expect(int n_threads, MakeWorker make_worker);
  std::pair<double, double> expect_model1(bool null_is_position, int n_threads);
  std::pair<double, double> expect_hmm(bool agreement, int n_threads);
  ExpectedCounts take_counts();

  Bitext bitext_;
  AlignerOptions options_;
  PairTable pairs_;
  Lexical lexical_;
  std::array<Jumps, 2> jumps_;
  std::array<JumpCounts, 2> jump_counts_;
};

}  // namespace calque::align
