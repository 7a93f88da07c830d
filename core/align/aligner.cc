#include "align/aligner.h"

#include <algorithm>
#include <utility>

#include "align/model1.h"
#include "parallel.h"

namespace calque::align {
namespace {

// Replaces the posteriors of a link in both directions by their product.
void agree(Trellis& forward, Trellis& reverse) {
  const size_t n_sources = forward.n_states, n_targets = forward.n_steps;
  for (size_t j = 0; j < n_targets; ++j) {
    for (size_t i = 0; i < n_sources; ++i) {
      float& one = forward.posterior[j * n_sources + i];
      float& two = reverse.posterior[i * n_targets + j];
      one = two = one * two;
    }
  }
}

}  // namespace

Aligner::Aligner(const Bitext& bitext, const AlignerOptions& options, int n_threads,
                 const std::optional<PairTable::Arrays>& pairs)
    : bitext_(bitext),
      options_(options),
      pairs_(pairs ? PairTable(bitext, options.max_words, *pairs)
                   : PairTable(bitext, options.max_words, n_threads)),
      lexical_(pairs_),
      jumps_{Jumps(options.jump_width), Jumps(options.jump_width)},
      jump_counts_{JumpCounts(options.jump_width), JumpCounts(options.jump_width)} {}

void Aligner::load(size_t sentence, Trellises& trellises) const {
  const auto source = bitext_.source_sentence(sentence);
  const auto target = bitext_.target_sentence(sentence);
  Trellis& forward = trellises[kForward];
  Trellis& reverse = trellises[kReverse];
  forward.shape(target.size(), source.size());
  reverse.shape(source.size(), target.size());
  for (size_t i = 0; i < source.size(); ++i) {
    const uint32_t* cells = pairs_.row(sentence, i, target.size());
    const auto row = static_cast<size_t>(pairs_.rows()[source[i]]);
    for (size_t j = 0; j < target.size(); ++j) {
      forward.emission[j * source.size() + i] = lexical_.prob(row + cells[j], kForward);
      reverse.emission[i * target.size() + j] = lexical_.prob(row + cells[j], kReverse);
    }
    reverse.null_emission[i] = lexical_.null_prob(source[i], kReverse);
  }
  for (size_t j = 0; j < target.size(); ++j) {
    forward.null_emission[j] = lexical_.null_prob(target[j], kForward);
  }
}

void Aligner::count(size_t sentence, const Trellises& trellises) {
  const auto source = bitext_.source_sentence(sentence);
  const auto target = bitext_.target_sentence(sentence);
  const Trellis& forward = trellises[kForward];
  const Trellis& reverse = trellises[kReverse];
  for (size_t i = 0; i < source.size(); ++i) {
    const uint32_t* cells = pairs_.row(sentence, i, target.size());
    const auto row = static_cast<size_t>(pairs_.rows()[source[i]]);
    for (size_t j = 0; j < target.size(); ++j) {
      lexical_.count(row + cells[j], kForward, forward.posterior[j * source.size() + i]);
      lexical_.count(row + cells[j], kReverse, reverse.posterior[i * target.size() + j]);
    }
    lexical_.count_null(source[i], kReverse, reverse.null_posterior[i]);
  }
  for (size_t j = 0; j < target.size(); ++j) {
    lexical_.count_null(target[j], kForward, forward.null_posterior[j]);
  }
}

// `make_worker()`, called once per thread, gives an object whose `fill(trellises)` sets the posteriors
// of both directions and returns the log probabilities; `finish_chunk()` hands over what it gathered.
template <typename MakeWorker>
std::pair<double, double> Aligner::expect(int n_threads, MakeWorker make_worker) {
  std::vector<std::array<double, 2>> log_probs(bitext_.size());
  for_chunks(bitext_.size(), kSentencesPerChunk, n_threads, [&] {
    return [&, worker = make_worker(), trellises = Trellises()](size_t begin, size_t end) mutable {
      for (size_t n = begin; n < end; ++n) {
        if (!pairs_.has_cells(n)) continue;
        load(n, trellises);
        log_probs[n] = worker.fill(trellises);
        count(n, trellises);
      }
      worker.finish_chunk();
    };
  });
  std::pair<double, double> sum{0, 0};
  for (const auto& [forward, reverse] : log_probs) {
    sum.first += forward;
    sum.second += reverse;
  }
  return sum;
}

std::pair<double, double> Aligner::expect_model1(bool null_is_position, int n_threads) {
  struct Worker {
    Model1 model;

    std::array<double, 2> fill(Trellises& trellises) {
      return {model.posteriors(trellises[kForward]), model.posteriors(trellises[kReverse])};
    }
    void finish_chunk() const {}
  };
  std::optional<double> null_prob;
  if (!null_is_position) null_prob = options_.null_prob;
  return expect(n_threads, [&] { return Worker{Model1(null_prob, options_.tension)}; });
}

std::pair<double, double> Aligner::expect_hmm(bool agreement, int n_threads) {
  struct Worker {
    Aligner& aligner;
    bool agreement;
    Hmm hmm;
    std::array<JumpSums, 2> sums;

    std::array<double, 2> fill(Trellises& trellises) {
      const auto of = [&](Direction direction) {
        return hmm.posteriors(trellises[direction], aligner.jumps_[direction],
                              aligner.options_.null_prob, sums[direction]);
      };
      const std::array<double, 2> log_probs{of(kForward), of(kReverse)};
      if (agreement) agree(trellises[kForward], trellises[kReverse]);
      return log_probs;
    }
    // Sums of a chunk are made in the order of its sentences, sums of chunks are exact.
    void finish_chunk() {
      for (const Direction direction : {kForward, kReverse}) {
        aligner.jump_counts_[direction].add(sums[direction]);
        sums[direction] = JumpSums(aligner.options_.jump_width);
      }
    }
  };
  const int32_t width = options_.jump_width;
  return expect(n_threads, [&] {
    return Worker{*this, agreement, Hmm(), {JumpSums(width), JumpSums(width)}};
  });
}

void Aligner::estimate(bool with_jumps, int n_threads) {
  lexical_.estimate(options_.alpha, n_threads);
  if (!with_jumps) return;
  for (const Direction direction : {kForward, kReverse}) {
    jump_counts_[direction].estimate(jumps_[direction], options_.jump_smoothing);
  }
}

std::pair<double, double> Aligner::model1_step(bool null_is_position, int n_threads) {
  const auto log_probs = expect_model1(null_is_position, n_threads);
  estimate(false, n_threads);
  return log_probs;
}

std::pair<double, double> Aligner::hmm_step(bool agreement, int n_threads) {
  const auto log_probs = expect_hmm(agreement, n_threads);
  estimate(true, n_threads);
  return log_probs;
}

void Aligner::set_parameters(std::span<const float> probs,
                             std::array<std::span<const float>, 2> null,
                             std::array<Jumps, 2> jumps) {
  lexical_.set_probs(probs, null);
  jumps_ = std::move(jumps);
}

ExpectedCounts Aligner::take_counts() {
  ExpectedCounts taken;
  lexical_.take_counts(taken);
  for (const Direction direction : {kForward, kReverse}) {
    taken.jumps[direction] = jump_counts_[direction].take();
  }
  return taken;
}

ExpectedCounts Aligner::count_model1(bool null_is_position, int n_threads) {
  expect_model1(null_is_position, n_threads);
  return take_counts();
}

ExpectedCounts Aligner::count_hmm(bool agreement, int n_threads) {
  expect_hmm(agreement, n_threads);
  return take_counts();
}

void Aligner::add_counts(std::span<const int64_t> pairs, const ExpectedCountsView& counts) {
  lexical_.add_counts(pairs, counts.pairs, counts.null);
  for (const Direction direction : {kForward, kReverse}) {
    jump_counts_[direction].add_fixed(counts.jumps[direction]);
  }
}

std::pair<std::vector<int32_t>, std::vector<int32_t>> Aligner::best_paths(int n_threads) const {
  std::vector<int32_t> forward(bitext_.target.size(), -1), reverse(bitext_.source.size(), -1);
  for_chunks(bitext_.size(), kSentencesPerChunk, n_threads, [&] {
    return [&, hmm = Hmm(), trellises = Trellises()](size_t begin, size_t end) mutable {
      for (size_t n = begin; n < end; ++n) {
        if (!pairs_.has_cells(n)) continue;
        load(n, trellises);
        hmm.best_path(trellises[kForward], jumps_[kForward], options_.null_prob,
                      std::span(forward).subspan(bitext_.target_offsets[n],
                                                 trellises[kForward].n_steps));
        hmm.best_path(trellises[kReverse], jumps_[kReverse], options_.null_prob,
                      std::span(reverse).subspan(bitext_.source_offsets[n],
                                                 trellises[kReverse].n_steps));
      }
    };
  });
  return {std::move(forward), std::move(reverse)};
}

}  // namespace calque::align
