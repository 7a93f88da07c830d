#include "align/sampler.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "error.h"
#include "parallel.h"
#include "random.h"

namespace calque::align {
namespace {

constexpr size_t kSentencesPerChunk = 32;
constexpr size_t kBatches = 16;
constexpr size_t kLeastBatch = 64;
// Weights are products of several: none may vanish.
constexpr double kLeastJump = 1e-9;

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

}  // namespace

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
    Random random{options_.seed, sampler_.n_sweeps_, chain, words_.number};
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
    float* cells =
        sampler_.marginals_.data() + sampler_.pairs_.first_cell(words_.number) + j * n_given_;
    for (size_t i = 0; i < n_given_; ++i) cells[i] += weights_[i] * scale;
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
    const SentencePair words = sentence(n);
    for (size_t chain = 0; chain < n_chains_; ++chain) {
      Random random{options_.seed, n_sweeps_, chain, n};
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
    Random random{options_.seed, n_sweeps_, chain, kJumpStream};
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
  std::vector<int32_t> best(n_made_words_, -1);
  for (size_t n = 0; n < bitext_.size(); ++n) {
    if (!pairs_.has_cells(n) || marginals_.empty()) continue;
    const SentencePair words = sentence(n);
    const float* cells = marginals_.data() + pairs_.first_cell(n);
    for (size_t j = 0; j < words.made.size(); ++j, cells += words.given.size()) {
      auto null = static_cast<double>(n_recorded_);
      for (size_t i = 0; i < words.given.size(); ++i) null -= cells[i];
      const float* most = std::max_element(cells, cells + words.given.size());
      if (*most >= null) best[words.made_at + j] = static_cast<int32_t>(most - cells);
    }
  }
  return best;
}

std::vector<float> LinkSampler::marginals() const {
  std::vector<float> means(marginals_);
  for (float& mean : means) mean /= static_cast<float>(n_recorded_);
  return means;
}

}  // namespace calque::align
