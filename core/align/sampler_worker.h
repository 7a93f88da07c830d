// What a thread of the sampler does with a sentence pair.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/sampler.h"
#include "random.h"

namespace calque::align {

// For each position that of the first equal word, and the next one (-1: none).
struct Twins {
  std::vector<int32_t> first, next;

  void find(std::span<const int32_t> words) {
    const auto n = static_cast<int32_t>(words.size());
    first.resize(words.size());
    next.assign(words.size(), -1);
    for (int32_t i = 0; i < n; ++i) {
      first[i] = i;
      for (int32_t k = i - 1; k >= 0; --k) {
        if (words[k] != words[i]) continue;
        first[i] = first[k];
        next[k] = i;
        break;
      }
    }
  }
};

// Draws the links of one sentence pair after the other; owns the scratch memory of a thread.
class LinkSampler::Worker {
 public:
  Worker(LinkSampler& sampler, SamplerStage stage, bool record)
      : sampler_(sampler), options_(sampler.options_), stage_(stage), record_(record) {}

  void operator()(size_t number) {
    words_ = sampler_.sentence(number);
    n_given_ = words_.given.size();
    given_twins_.find(words_.given);
    made_twins_.find(words_.made);
    load_lexical();
    for (size_t chain = 0; chain < sampler_.n_chains_; ++chain) {
      load(chain);
      draw(chain);
    }
  }

 private:
  // What is loaded are the counts of all links, this sentence pair's own included.
  void load_lexical() {
    const bool forward = sampler_.direction_ == kForward;
    const auto source = forward ? words_.given : words_.made;
    const size_t n_targets = (forward ? words_.made : words_.given).size();
    const size_t n_chains = sampler_.n_chains_, n_cells = source.size() * n_targets;
    const size_t source_step = forward ? 1 : n_given_, target_step = forward ? n_given_ : 1;
    all_lexical_.resize(n_chains * n_cells);
    for (size_t s = 0; s < source.size(); ++s) {
      const uint32_t* ranks = sampler_.pairs_.row(words_.number, s, n_targets);
      const int32_t* counts =
          sampler_.pair_counts_.data() + sampler_.pairs_.rows()[source[s]] * n_chains;
      float* cell = all_lexical_.data() + s * source_step;
      for (size_t t = 0; t < n_targets; ++t, cell += target_step) {
        const int32_t* count = counts + ranks[t] * n_chains;
        for (size_t chain = 0; chain < n_chains; ++chain) {
          cell[chain * n_cells] = static_cast<float>(count[chain]);
        }
      }
    }
  }

  void load(size_t chain) {
    const size_t n_chains = sampler_.n_chains_, n_made = words_.made.size();
    lexical_ = all_lexical_.data() + chain * n_made * n_given_;
    null_.resize(n_made);
    for (size_t j = 0; j < n_made; ++j) {
      null_[j] = sampler_.null_counts_[words_.made[j] * n_chains + chain];
    }
    null_total_ = sampler_.null_totals_[chain];
    totals_.resize(n_given_);
    inverse_.resize(n_given_);
    more_.assign(n_given_, 1.0F);
    weights_.resize(n_given_);
    sums_.resize(n_given_);
    for (size_t i = 0; i < n_given_; ++i) {
      totals_[i] = sampler_.given_counts_[words_.given[i] * n_chains + chain];
      inverse_[i] = inverse_total(totals_[i]);
    }
    links_ = std::span(sampler_.fresh_)
                 .subspan(chain * sampler_.n_made_words_ + words_.made_at, n_made);
    if (stage_ == SamplerStage::kFertility) load_fertilities(chain);
  }

  void load_fertilities(size_t chain) {
    fertilities_.assign(n_given_, 0);
    for (const int32_t link : links_) {
      if (link >= 0) ++fertilities_[link];
    }
    fertility_counts_.resize(n_given_ * kFertilities);
    for (size_t i = 0; i < n_given_; ++i) {
      if (given_twins_.first[i] != static_cast<int32_t>(i)) continue;
      const size_t row = words_.given[i] * sampler_.n_chains_ + chain;
      std::copy_n(sampler_.fertility_counts_.begin() + row * kFertilities, kFertilities,
                  fertility_counts_.begin() + i * kFertilities);
    }
    for (size_t i = 0; i < n_given_; ++i) set_more(i);
  }

  void draw(size_t chain) {
    Random random{options_.seed, sampler_.n_sweeps_, options_.first_chain + chain, words_.number};
    const bool flat = stage_ == SamplerStage::kModel1;
    const double real = (1 - options_.null_prob) / (flat ? static_cast<double>(n_given_) : 1);
    const auto reach = static_cast<int32_t>(sampler_.jumps_[chain].size() / 2);
    const float* jumps = sampler_.jumps_[chain].data() + reach;
    const float* jumps_back = sampler_.jumps_back_[chain].data() + reach;
    int32_t before = -1;
    for (size_t j = 0; j < links_.size(); ++j) {
      const size_t row = static_cast<size_t>(made_twins_.first[j]);
      change(row, links_[j], -1);
      const int32_t after = next_link(j);
      weigh(lexical_ + row * n_given_, jumps - before, jumps_back - after);
      const double null = options_.null_prob * jumps[after - before] * null_prob(row);
      const double total = real * sums_[n_given_ - 1] + null;
      links_[j] = pick(static_cast<float>(random.uniform() * total / real));
      if (record_) record(j, static_cast<float>(real / total));
      change(row, links_[j], 1);
      if (links_[j] >= 0) before = links_[j];
    }
  }

  // The weight of each given position, and the sums of all up to each; `in` and `out` are the jumps
  // to and from it.
  void weigh(const float* lexical, const float* in, const float* out) {
    const auto prior = static_cast<float>(options_.lexical_prior);
    const float* inverse = inverse_.data();
    const float* more = more_.data();
    float* __restrict weights = weights_.data();
    for (size_t i = 0; i < n_given_; ++i) {
      weights[i] = (lexical[i] + prior) * inverse[i] * more[i] * in[i] * out[i];
    }
    float sum = 0;
    for (size_t i = 0; i < n_given_; ++i) sums_[i] = sum += weights[i];
  }

  // The first position whose sum of weights exceeds `mark`; -1 where none does.
  int32_t pick(float mark) const {
    size_t n_below = 0;
    for (size_t i = 0; i < n_given_; ++i) n_below += sums_[i] <= mark ? 1 : 0;
    return n_below < n_given_ ? static_cast<int32_t>(n_below) : -1;
  }

  void record(size_t j, float scale) {
    uint32_t* cells =
        sampler_.marginals_.data() + sampler_.pairs_.first_cell(words_.number) + j * n_given_;
    const float units = scale * static_cast<float>(LinkSampler::kOne);
    for (size_t i = 0; i < n_given_; ++i) {
      cells[i] += static_cast<uint32_t>(static_cast<int32_t>(weights_[i] * units + 0.5F));
    }
  }

  int32_t next_link(size_t j) const {
    for (size_t k = j + 1; k < links_.size(); ++k) {
      if (links_[k] >= 0) return links_[k];
    }
    return static_cast<int32_t>(n_given_);
  }

  // Adds or takes away a link of the generated word that is first found at `row`.
  void change(size_t row, int32_t link, int32_t by) {
    if (link < 0) {
      null_[row] += by;
      null_total_ += by;
      return;
    }
    const int32_t first = given_twins_.first[link];
    if (stage_ == SamplerStage::kFertility) {
      --fertility_count(first, fertilities_[link]);
      fertilities_[link] += by;
      ++fertility_count(first, fertilities_[link]);
    }
    const int32_t total = totals_[first] + by;
    const float inverse = inverse_total(total);
    for (int32_t i = first; i >= 0; i = given_twins_.next[i]) {
      lexical_[row * n_given_ + i] += static_cast<float>(by);
      totals_[i] = total;
      inverse_[i] = inverse;
      if (stage_ == SamplerStage::kFertility) set_more(i);
    }
  }

  int32_t& fertility_count(size_t first, int32_t fertility) {
    return fertility_counts_[first * kFertilities +
                             std::min<size_t>(fertility, kFertilities - 1)];
  }

  // How much more probable the fertility of position i is with one more link.
  void set_more(size_t i) {
    const auto first = static_cast<size_t>(given_twins_.first[i]);
    const int32_t fertility = fertilities_[i];
    if (fertility + 1 >= static_cast<int32_t>(kFertilities)) {
      more_[i] = 1;
      return;
    }
    const double prior = options_.fertility_prior;
    const int32_t others = fertility_count(first, fertility) - 1;  // without itself
    more_[i] = static_cast<float>((fertility_count(first, fertility + 1) + prior) /
                                  (others + prior));
  }

  float inverse_total(int32_t count) const {
    const auto n_types = static_cast<double>(sampler_.n_made_types_);
    return static_cast<float>(1 / (count + options_.lexical_prior * n_types));
  }

  double null_prob(size_t row) const {
    const auto n_types = static_cast<double>(sampler_.n_made_types_);
    return (null_[row] + options_.null_prior) / (null_total_ + options_.null_prior * n_types);
  }

  LinkSampler& sampler_;
  const SamplerOptions& options_;
  const SamplerStage stage_;
  const bool record_;
  SentencePair words_{};
  size_t n_given_ = 0;
  Twins given_twins_, made_twins_;
  std::span<int32_t> links_;              // of the sentence pair, in one chain
  std::vector<float> all_lexical_;        // counts [chain][generated][given]
  float* lexical_ = nullptr;              // those of one chain; only rows of first words change
  std::vector<int32_t> null_, totals_;    // counts; of first words, of all given positions
  int32_t null_total_ = 0;
  std::vector<int32_t> fertilities_;      // of all given positions
  std::vector<int32_t> fertility_counts_; // rows of first words
  std::vector<float> inverse_, more_, weights_, sums_;  // of all given positions
};

}  // namespace calque::align
