#include "align/sampler.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <utility>

#include "align/sampler_worker.h"
#include "error.h"
#include "interrupt.h"
#include "parallel.h"
#include "random.h"

namespace calque::align {
namespace {

constexpr size_t kSentencesPerChunk = 32;
constexpr size_t kBatches = 16;
constexpr size_t kLeastBatch = 64;
// Weights are products of several: none may vanish.
constexpr double kLeastJump = 1e-9;
constexpr int64_t kMostRecorded = 4095;  // of which sums fit into 32 bits

// Streams of random numbers that are no sentence's.
constexpr uint64_t kJumpStream = ~uint64_t{0};

template <typename Number>
void add(Number& sum, Number value) {
  std::atomic_ref(sum).fetch_add(value, std::memory_order_relaxed);
}

int32_t n_types(std::span<const int32_t> ids) {
  return ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end()) + 1;
}

// Calls jump(from, to) for all jumps of a sentence's links among `n_given` positions.
template <typename Jump>
void each_jump(std::span<const int32_t> links, size_t n_given, Jump jump) {
  int32_t from = -1;
  for (const int32_t link : links) {
    if (link < 0) continue;
    jump(from, link);
    from = link;
  }
  jump(from, static_cast<int32_t>(n_given));
}

}  // namespace

LinkSampler::LinkSampler(const Bitext& bitext, const PairTable& pairs, Direction direction,
                         const SamplerOptions& options)
    : bitext_(bitext),
      pairs_(pairs),
      direction_(direction),
      options_(options),
      n_chains_(static_cast<size_t>(options.n_chains)),
      batch_(static_cast<size_t>(options.batch)) {
  const auto made = direction == kForward ? bitext.target : bitext.source;
  const auto given = direction == kForward ? bitext.source : bitext.target;
  n_made_words_ = made.size();
  n_made_types_ = static_cast<size_t>(n_types(made));
  const auto n_given_types = static_cast<size_t>(n_types(given));
  if (batch_ == 0) batch_ = std::max(kLeastBatch, (bitext.size() + kBatches - 1) / kBatches);
  pair_counts_.assign(pairs.size() * n_chains_, 0);
  given_counts_.assign(n_given_types * n_chains_, 0);
  null_counts_.assign(n_made_types_ * n_chains_, 0);
  null_totals_.assign(n_chains_, 0);
  fertility_counts_.assign(n_given_types * n_chains_ * kFertilities, 0);
  jump_counts_.assign(n_chains_ * (2 * static_cast<size_t>(options.jump_width) + 1), 0);
  const size_t reach = static_cast<size_t>(options.max_words) + 1;
  jumps_.assign(n_chains_, std::vector<float>(2 * reach + 1));
  jumps_back_ = jumps_;
  links_.assign(n_chains_ * n_made_words_, -1);
  fresh_ = links_;
  begin_chains();
}

LinkSampler::SentencePair LinkSampler::sentence(size_t number) const {
  const auto source = bitext_.source_sentence(number), target = bitext_.target_sentence(number);
  if (direction_ == kForward) {
    return {number, source, target, static_cast<size_t>(bitext_.target_offsets[number])};
  }
  return {number, target, source, static_cast<size_t>(bitext_.source_offsets[number])};
}

size_t LinkSampler::pair(const SentencePair& words, size_t made, size_t given) const {
  const auto& rows = pairs_.rows();
  if (direction_ == kForward) {
    return static_cast<size_t>(rows[words.given[given]]) +
           pairs_.row(words.number, given, words.made.size())[made];
  }
  return static_cast<size_t>(rows[words.made[made]]) +
         pairs_.row(words.number, made, words.given.size())[given];
}

size_t LinkSampler::jump_bucket(int32_t distance) const {
  const int32_t width = options_.jump_width;
  return static_cast<size_t>(std::clamp(distance, -width, width) + width);
}

double LinkSampler::jump_prior(size_t bucket) const {
  const double from_one = 1 + std::abs(static_cast<double>(bucket) - options_.jump_width - 1);
  return options_.jump_prior / (from_one * from_one);
}

// Every link somewhere at random; all counts from these.
void LinkSampler::begin_chains() {
  std::vector<int32_t> fertilities;
  for (size_t n = 0; n < bitext_.size(); ++n) {
    if (!pairs_.has_cells(n)) continue;
    end_if_interrupted();
    const SentencePair words = sentence(n);
    for (size_t chain = 0; chain < n_chains_; ++chain) {
      Random random{options_.seed, n_sweeps_, options_.first_chain + chain, n};
      int32_t* fresh = fresh_.data() + chain * n_made_words_ + words.made_at;
      for (size_t j = 0; j < words.made.size(); ++j) {
        const double place = random.uniform() / (1 - options_.null_prob);
        fresh[j] = place < 1 ? static_cast<int32_t>(place * words.given.size()) : -1;
        add(null_counts_[words.made[j] * n_chains_ + chain], 1);
      }
      // Until now all were null.
      add(null_totals_[chain], static_cast<int32_t>(words.made.size()));
      for (const int32_t word : words.given) count_fertility(word, chain, 0, 1);
      accept(words, chain, fertilities);
    }
  }
  ++n_sweeps_;
}

void LinkSampler::sweep(SamplerStage stage, bool record, int n_threads) {
  draw_jumps(stage);
  if (record) {
    if (n_recorded_ + options_.n_chains > kMostRecorded) {
      throw Error("more than " + std::to_string(kMostRecorded) + " sweeps of chains recorded");
    }
    marginals_.resize(pairs_.n_cells(), 0);
    n_recorded_ += options_.n_chains;
  }
  for (size_t begin = 0; begin < bitext_.size(); begin += batch_) {
    for_batch(begin, std::min(bitext_.size(), begin + batch_), stage, record, n_threads);
  }
  ++n_sweeps_;
}

void LinkSampler::for_batch(size_t begin, size_t end, SamplerStage stage, bool record,
                            int n_threads) {
  for_chunks(end - begin, kSentencesPerChunk, n_threads, [&] {
    return [&, worker = Worker(*this, stage, record)](size_t first, size_t last) mutable {
      for (size_t n = begin + first; n < begin + last; ++n) {
        if (pairs_.has_cells(n)) worker(n);
      }
    };
  });
  for_chunks(end - begin, kSentencesPerChunk, n_threads, [&] {
    return [&, fertilities = std::vector<int32_t>()](size_t first, size_t last) mutable {
      for (size_t n = begin + first; n < begin + last; ++n) {
        if (!pairs_.has_cells(n)) continue;
        const SentencePair words = sentence(n);
        for (size_t chain = 0; chain < n_chains_; ++chain) accept(words, chain, fertilities);
      }
    };
  });
}

// Jump weights given all jumps, from their Dirichlet distribution; the counts are cleared.
void LinkSampler::draw_jumps(SamplerStage stage) {
  const auto reach = static_cast<int32_t>(jumps_.empty() ? 0 : jumps_[0].size() / 2);
  const size_t n_buckets = 2 * static_cast<size_t>(options_.jump_width) + 1;
  std::vector<double> weights(n_buckets);
  for (size_t chain = 0; chain < n_chains_; ++chain) {
    Random random{options_.seed, n_sweeps_, options_.first_chain + chain, kJumpStream};
    double sum = 0;
    for (size_t bucket = 0; bucket < n_buckets; ++bucket) {
      const auto count = static_cast<double>(jump_counts_[chain * n_buckets + bucket]);
      weights[bucket] = random.gamma(count + jump_prior(bucket));
      sum += weights[bucket];
    }
    for (int32_t distance = -reach; distance <= reach; ++distance) {
      const double weight = std::max(weights[jump_bucket(distance)] / sum, kLeastJump);
      const float jump = stage == SamplerStage::kModel1 ? 1.0F : static_cast<float>(weight);
      jumps_[chain][reach + distance] = jumps_back_[chain][reach - distance] = jump;
    }
  }
  std::fill(jump_counts_.begin(), jump_counts_.end(), 0);
}

void LinkSampler::accept(const SentencePair& words, size_t chain,
                         std::vector<int32_t>& fertilities) {
  const size_t at = chain * n_made_words_ + words.made_at;
  fertilities.assign(2 * words.given.size(), 0);
  int32_t* before = fertilities.data();
  int32_t* after = before + words.given.size();
  const auto change = [&](size_t j, int32_t link, int32_t by) {
    if (link < 0) {
      add(null_counts_[words.made[j] * n_chains_ + chain], by);
      add(null_totals_[chain], by);
    } else {
      add(pair_counts_[pair(words, j, link) * n_chains_ + chain], by);
      add(given_counts_[words.given[link] * n_chains_ + chain], by);
    }
  };
  for (size_t j = 0; j < words.made.size(); ++j) {
    const int32_t old = links_[at + j], fresh = fresh_[at + j];
    if (old >= 0) ++before[old];
    if (fresh >= 0) ++after[fresh];
    if (old == fresh) continue;
    change(j, old, -1);
    change(j, fresh, 1);
    links_[at + j] = fresh;
  }
  for (size_t i = 0; i < words.given.size(); ++i) {
    if (before[i] == after[i]) continue;
    count_fertility(words.given[i], chain, before[i], -1);
    count_fertility(words.given[i], chain, after[i], 1);
  }
  count_jumps(words, chain);
}

void LinkSampler::count_jumps(const SentencePair& words, size_t chain) {
  const size_t n_buckets = 2 * static_cast<size_t>(options_.jump_width) + 1;
  const auto links =
      std::span(links_).subspan(chain * n_made_words_ + words.made_at, words.made.size());
  each_jump(links, words.given.size(), [&](int32_t from, int32_t to) {
    add(jump_counts_[chain * n_buckets + jump_bucket(to - from)], int64_t{1});
  });
}

void LinkSampler::count_fertility(int32_t word, size_t chain, int32_t fertility, int32_t change) {
  const size_t row = word * n_chains_ + chain;
  add(fertility_counts_[row * kFertilities + std::min<size_t>(fertility, kFertilities - 1)],
      change);
}

std::vector<int32_t> LinkSampler::links(int32_t chain) const {
  if (chain < 0 || chain >= options_.n_chains) throw Error("links: no such chain");
  const auto begin = links_.begin() + static_cast<ptrdiff_t>(chain * n_made_words_);
  return {begin, begin + static_cast<ptrdiff_t>(n_made_words_)};
}

std::vector<int32_t> LinkSampler::best_links() const {
  return align::best_links(bitext_, pairs_, direction_, marginals_, n_recorded_);
}

std::vector<float> LinkSampler::marginals() const {
  std::vector<float> means(marginals_.begin(), marginals_.end());
  for (float& mean : means) mean /= static_cast<float>(kOne) * static_cast<float>(n_recorded_);
  return means;
}

std::vector<uint32_t> LinkSampler::take_marginals() {
  n_recorded_ = 0;
  return std::exchange(marginals_, {});
}

std::vector<int32_t> best_links(const Bitext& bitext, const PairTable& pairs, Direction direction,
                                std::span<const uint32_t> marginals, int64_t n_recorded) {
  const bool forward = direction == kForward;
  const auto& made_offsets = forward ? bitext.target_offsets : bitext.source_offsets;
  std::vector<int32_t> best(forward ? bitext.target.size() : bitext.source.size(), -1);
  for (size_t n = 0; n < bitext.size(); ++n) {
    if (!pairs.has_cells(n) || marginals.empty()) continue;
    const auto made_at = static_cast<size_t>(made_offsets[n]);
    const size_t n_made = static_cast<size_t>(made_offsets[n + 1]) - made_at;
    const size_t n_given = (pairs.first_cell(n + 1) - pairs.first_cell(n)) / n_made;
    const uint32_t* cells = marginals.data() + pairs.first_cell(n);
    for (size_t j = 0; j < n_made; ++j, cells += n_given) {
      int64_t null = n_recorded * int64_t{LinkSampler::kOne};
      for (size_t i = 0; i < n_given; ++i) null -= cells[i];
      const uint32_t* most = std::max_element(cells, cells + n_given);
      if (*most >= null) best[made_at + j] = static_cast<int32_t>(most - cells);
    }
  }
  return best;
}

}  // namespace calque::align
