#include "tune/local_sets.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "checks.h"
#include "error.h"
#include "hash.h"
#include "parallel.h"

namespace calque {
namespace {

constexpr size_t kChunk = 64;  // sentences

void append(LocalSets& all, LocalSets&& part) {
  const int64_t n_candidates = all.offsets.back();
  const auto n_sets = static_cast<int32_t>(all.offsets.size() - 1);
  for (size_t i = 1; i < part.offsets.size(); ++i) all.offsets.push_back(n_candidates + part.offsets[i]);
  for (const int32_t set : part.sets) all.sets.push_back(n_sets + set);
  const auto add = [](auto& to, auto& from) {
    to.insert(to.end(), from.begin(), from.end());
    from = {};
  };
  add(all.choices, part.choices);
  add(all.first, part.first);
  add(all.rest, part.rest);
  add(all.pairs, part.pairs);
  add(all.truths, part.truths);
}

}  // namespace

// Adds the sets of one sentence after the other; one per chunk.
class LocalSetBuilder::Sentence {
 public:
  Sentence(const LocalSetBuilder& builder, const EventList& events, LocalSets& out)
      : builder_(builder), events_(events), out_(out) {}

  // The events [first, last), all of one sentence.
  void add(size_t first, size_t last) {
    const auto at = static_cast<size_t>(events_.sentence[first]);
    const int64_t begin = events_.word_offsets[at], end = events_.word_offsets[at + 1];
    states_.assign(1, builder_.lm_.begin());
    for (int64_t i = begin; i < end; ++i) {
      LmState after;
      builder_.lm_.score(states_.back(), events_.words[i], after);
      states_.push_back(after);
    }
    if (!events_.allowed_offsets.empty()) {
      allowed_ = events_.allowed.subspan(
          events_.allowed_offsets[at], events_.allowed_offsets[at + 1] - events_.allowed_offsets[at]);
    }
    scores_.clear();
    find_successors(first, last);
    group(first, last);
    const size_t n_before = out_.sets.size();
    out_.sets.resize(n_before + last - first);
    out_.truths.resize(n_before + last - first);
    for (size_t i = 0; i < order_.size(); ++i) {
      const size_t event = order_[i];
      if (i == 0 || key(event) != key(order_[i - 1])) add_set(event);
      const auto set = std::span(out_.choices).subspan(out_.offsets[out_.offsets.size() - 2]);
      const int32_t truth = to_choice(events_.block[event], side(event));
      out_.sets[n_before + event - first] = static_cast<int32_t>(out_.offsets.size() - 2);
      out_.truths[n_before + event - first] =
          static_cast<int32_t>(std::ranges::lower_bound(set, truth) - set.begin());
    }
  }

 private:
  // Events of equal keys share a set.
  using Key = std::tuple<bool, int32_t, int16_t>;
  struct Successor {
    int32_t previous, choice;
    auto operator<=>(const Successor&) const = default;
  };
  struct Scores {
    float first, rest;
  };
  struct Mixed {
    size_t operator()(uint64_t place) const { return mix(place); }
  };

  Side side(size_t event) const { return static_cast<Side>(events_.side[event]); }
  bool is_neutral(size_t event) const { return side(event) == Side::neutral; }
  Key key(size_t event) const {
    const bool neutral = is_neutral(event);
    return {neutral, neutral ? events_.block[event] : events_.previous[event],
            events_.target_begin[event]};
  }

  void find_successors(size_t first, size_t last) {
    successors_.clear();
    for (size_t event = first; event < last; ++event) {
      if (is_neutral(event)) continue;
      successors_.push_back({events_.previous[event], to_choice(events_.block[event], side(event))});
    }
    std::ranges::sort(successors_);
    successors_.erase(std::ranges::unique(successors_).begin(), successors_.end());
  }

  void group(size_t first, size_t last) {
    order_.resize(last - first);
    std::iota(order_.begin(), order_.end(), first);
    std::ranges::stable_sort(order_, {}, [this](size_t event) { return key(event); });
  }

  void add_set(size_t event) {
    const int32_t previous = events_.previous[event];
    found_.clear();
    if (is_neutral(event)) {
      add_alternatives(to_choice(events_.block[event], Side::neutral));
    } else {
      const auto all = std::ranges::equal_range(successors_, previous, {}, &Successor::previous);
      for (const Successor& successor : all) add_alternatives(successor.choice);
    }
    std::ranges::sort(found_);
    found_.erase(std::ranges::unique(found_).begin(), found_.end());
    const auto pairs = is_neutral(event) ? PairRange{} : pairs_after(previous);
    for (const int32_t choice : found_) {
      const Scores scores = score(events_.target_begin[event], block_of(choice));
      out_.choices.push_back(choice);
      out_.first.push_back(scores.first);
      out_.rest.push_back(scores.rest);
      out_.pairs.push_back(find_pair(pairs, block_of(choice)));
    }
    out_.offsets.push_back(static_cast<int64_t>(out_.choices.size()));
  }

  // The true block always is among its alternatives.
  void add_alternatives(int32_t truth) {
    const int32_t block = block_of(truth);
    const BlockRange all = builder_.table_.blocks(builder_.source_of_[block]);
    const auto n = std::min<int64_t>(all.end - all.begin, static_cast<int64_t>(builder_.n_alternatives_));
    const auto most = std::span(builder_.by_count_).subspan(all.begin, n);
    const bool among = std::ranges::find(most, block) != most.end();
    for (const int32_t other : among ? most : most.first(most.size() - 1)) {
      if (other == block || (!events_.allowed_offsets.empty() &&
                             !std::ranges::binary_search(allowed_, other))) {
        continue;
      }
      found_.push_back(to_choice(other, side_of(truth)));
    }
    found_.push_back(truth);
  }

  struct PairRange {
    size_t begin = 0, end = 0;  // rows
  };
  int32_t pair_half(size_t row, size_t half) const { return builder_.pairs_[2 * row + half]; }

  PairRange pairs_after(int32_t previous) const {
    if (previous < 0) return {};
    const size_t n = builder_.pairs_.size() / 2;
    const auto bound = [&](auto is_before) {
      size_t low = 0, high = n;
      while (low < high) {
        const size_t middle = (low + high) / 2;
        is_before(pair_half(middle, 0)) ? low = middle + 1 : high = middle;
      }
      return low;
    };
    return {bound([&](int32_t row) { return row < previous; }),
            bound([&](int32_t row) { return row <= previous; })};
  }
  int32_t find_pair(PairRange range, int32_t block) const {
    while (range.begin < range.end) {
      const size_t middle = (range.begin + range.end) / 2;
      const int32_t other = pair_half(middle, 1);
      if (other == block) return static_cast<int32_t>(middle);
      other < block ? range.begin = middle + 1 : range.end = middle;
    }
    return -1;
  }

  // Many sets of a sentence have the same target phrase at the same place.
  Scores score(int16_t target_begin, int32_t block) {
    const uint64_t place = static_cast<uint64_t>(target_begin) << 32 |
                           static_cast<uint64_t>(builder_.table_.target_phrase[block]);
    const auto [known, is_new] = scores_.try_emplace(place);
    if (is_new) {
      LmState state = states_[static_cast<size_t>(target_begin)], after;
      double first = 0, rest = 0;
      bool is_first = true;
      for (const int32_t word : builder_.table_.target(block)) {
        (is_first ? first : rest) += builder_.lm_.score(state, word, after);
        state = after;
        is_first = false;
      }
      known->second = {static_cast<float>(first), static_cast<float>(rest)};
    }
    return known->second;
  }

  const LocalSetBuilder& builder_;
  const EventList& events_;
  LocalSets& out_;
  std::vector<LmState> states_;  // after so many words of the sentence
  std::span<const int32_t> allowed_;
  std::vector<Successor> successors_;
  std::vector<size_t> order_;
  std::vector<int32_t> found_;
  std::unordered_map<uint64_t, Scores, Mixed> scores_;  // by target position and phrase
};

LocalSetBuilder::LocalSetBuilder(const BlockTable& table, std::span<const int32_t> counts,
                                 const TargetLm& lm, std::span<const int32_t> pairs,
                                 int n_alternatives)
    : table_(table), lm_(lm), pairs_(pairs), n_alternatives_(static_cast<size_t>(n_alternatives)) {
  const int64_t n_blocks = table.n_blocks();
  if (n_alternatives < 1) throw Error("expected at least 1 alternative");
  if (n_blocks > std::numeric_limits<int32_t>::max() / 4) throw Error("too many blocks");
  check_size(counts.size(), static_cast<size_t>(n_blocks), "counts of the blocks");
  check_ids(pairs, n_blocks, "pairs of blocks");
  if (pairs.size() / 2 > std::numeric_limits<int32_t>::max()) throw Error("too many pairs of blocks");
  for (size_t i = 2; i + 1 < pairs.size(); i += 2) {
    if (std::pair(pairs[i - 2], pairs[i - 1]) >= std::pair(pairs[i], pairs[i + 1])) {
      throw Error("pairs of blocks are not sorted");
    }
  }
  for (const int32_t word : table.target_words) {
    if (lm.is_outside(word)) throw Error("a target word of a block has no place in the language model");
  }
  source_of_.resize(static_cast<size_t>(n_blocks));
  by_count_.resize(static_cast<size_t>(n_blocks));
  std::iota(by_count_.begin(), by_count_.end(), 0);
  for (int64_t source = 0; source < table.n_sources(); ++source) {
    const BlockRange all = table.blocks(source);
    std::fill(source_of_.begin() + all.begin, source_of_.begin() + all.end,
              static_cast<int32_t>(source));
    std::stable_sort(by_count_.begin() + all.begin, by_count_.begin() + all.end,
                     [&](int32_t a, int32_t b) { return counts[a] > counts[b]; });
  }
}

void LocalSetBuilder::check(const EventList& events) const {
  const size_t n = events.block.size();
  check_size(events.previous.size(), n, "previous blocks");
  check_size(events.side.size(), n, "sides");
  check_size(events.sentence.size(), n, "sentences");
  check_size(events.target_begin.size(), n, "target positions");
  check_offsets(events.word_offsets, events.words.size(), "words");
  const size_t n_sentences = events.word_offsets.size() - 1;
  check_ids(events.block, table_.n_blocks(), "blocks");
  check_ids(events.sentence, static_cast<int64_t>(n_sentences), "sentences");
  if (!events.allowed_offsets.empty()) {
    check_size(events.allowed_offsets.size(), n_sentences + 1, "offsets of allowed blocks");
    check_offsets(events.allowed_offsets, events.allowed.size(), "allowed blocks");
  }
  for (const int32_t word : events.words) {
    if (lm_.is_outside(word)) throw Error("a word has no place in the language model");
  }
  for (size_t i = 0; i < n; ++i) {
    if (events.previous[i] >= table_.n_blocks()) throw Error("previous blocks are out of range");
    if (events.side[i] < 0 || events.side[i] > 2) throw Error("sides are out of range");
    if (i > 0 && events.sentence[i] < events.sentence[i - 1]) throw Error("sentences do not rise");
    const auto at = static_cast<size_t>(events.sentence[i]);
    const int64_t n_words = events.word_offsets[at + 1] - events.word_offsets[at];
    if (events.target_begin[i] < 0 || events.target_begin[i] >= n_words) {
      throw Error("target positions lie outside their sentences");
    }
  }
}

LocalSets LocalSetBuilder::build(const EventList& events, int n_threads) const {
  check(events);
  const size_t n = events.block.size();
  std::vector<size_t> begins;  // of the events of every sentence that has some
  for (size_t i = 0; i < n; ++i) {
    if (i == 0 || events.sentence[i] != events.sentence[i - 1]) begins.push_back(i);
  }
  const size_t n_sentences = begins.size();
  begins.push_back(n);
  std::vector<LocalSets> parts((n_sentences + kChunk - 1) / kChunk);
  for_chunks(n_sentences, kChunk, n_threads, [&] {
    return [&](size_t begin, size_t end) {
      Sentence sentence(*this, events, parts[begin / kChunk]);
      for (size_t i = begin; i < end; ++i) sentence.add(begins[i], begins[i + 1]);
    };
  });
  LocalSets all;
  for (LocalSets& part : parts) append(all, std::move(part));
  return all;
}

}  // namespace calque
