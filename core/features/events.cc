#include "features/events.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "error.h"
#include "parallel.h"

namespace calque {
namespace {

constexpr size_t kChunk = 256;

struct Placement {
  int32_t block;
  int16_t source_begin, source_end, target_begin, target_end;
};

// Lists of placements by a corner (target position, source position); made anew per sentence pair.
class Corners {
 public:
  void clear(size_t n_target, size_t n_source, size_t n_placements) {
    width_ = n_source + 1;
    heads_.assign((n_target + 1) * width_, -1);
    next_.resize(n_placements);
  }
  void push_front(int target, int source, int32_t placement) {
    int32_t& head = heads_[at(target, source)];
    next_[placement] = head;
    head = placement;
  }
  template <typename Visit>
  void for_each(int target, int source, Visit visit) const {
    for (int32_t p = heads_[at(target, source)]; p >= 0; p = next_[p]) visit(p);
  }

 private:
  size_t at(int target, int source) const {
    return static_cast<size_t>(target) * width_ + static_cast<size_t>(source);
  }
  size_t width_ = 0;
  std::vector<int32_t> heads_, next_;
};

}  // namespace

// Finds the events of one sentence pair after the other; one per thread.
class BlockEvents::Finder {
 public:
  explicit Finder(const BlockEvents& events)
      : events_(events),
        occurrences_(events.targets_.size()),
        n_seen_(static_cast<size_t>(events.table_.n_sources())) {}

  template <typename Visit>
  void for_each(int64_t sentence, Visit visit) {
    const SentencePair pair = events_.corpus_[sentence];
    const auto longest = static_cast<size_t>(events_.options_.max_words);
    if (pair.source.size() > longest || pair.target.size() > longest) return;
    find_targets(pair.target);
    place(pair.source);
    forget();
    link(pair.source.size(), pair.target.size());
    for (const Placement& to : placements_) {
      bool follows = false;
      const auto report = [&](int32_t previous, Side side) {
        visit(Event{previous, to.block, static_cast<int32_t>(sentence), to.source_begin,
                    to.target_begin, side});
        follows = true;
      };
      right_.for_each(to.target_begin, to.source_begin,
                      [&](int32_t p) { report(placements_[p].block, Side::right); });
      left_.for_each(to.target_begin, to.source_end,
                     [&](int32_t p) { report(placements_[p].block, Side::left); });
      if (follows) continue;
      const bool at_start = to.source_begin == 0 && to.target_begin == 0;
      report(-1, events_.options_.boundary_block && at_start ? Side::right : Side::neutral);
    }
  }

 private:
  // Where a target phrase begins in the sentence at hand: a list in begins_, and its length.
  struct Occurrences {
    int32_t head = -1;
    int32_t n = 0;
  };
  struct Begin {
    int16_t position;
    int32_t next;
  };

  void find_targets(std::span<const int32_t> words) {
    begins_.clear();
    found_targets_.clear();
    for (size_t begin = words.size(); begin-- > 0;) {  // from behind, so that lists rise
      uint64_t hash = kEmptyPhraseHash;
      const size_t last = std::min(words.size(), begin + events_.max_target_words_);
      for (size_t end = begin + 1; end <= last; ++end) {
        hash = extend_hash(hash, words[end - 1]);
        const int64_t phrase = events_.targets_.find(words.subspan(begin, end - begin), hash);
        if (phrase < 0) continue;
        Occurrences& at = occurrences_[phrase];
        if (at.n++ == 0) found_targets_.push_back(static_cast<int32_t>(phrase));
        begins_.push_back({static_cast<int16_t>(begin), at.head});
        at.head = static_cast<int32_t>(begins_.size()) - 1;
      }
    }
  }

  void place(std::span<const int32_t> words) {
    placements_.clear();
    found_sources_.clear();
    for (size_t begin = 0; begin < words.size(); ++begin) {
      uint64_t hash = kEmptyPhraseHash;
      const size_t last = std::min(words.size(), begin + events_.table_.max_source_words);
      for (size_t end = begin + 1; end <= last; ++end) {
        hash = extend_hash(hash, words[end - 1]);
        const int64_t source = events_.table_.find(words.subspan(begin, end - begin), hash);
        if (source >= 0) place(source, static_cast<int16_t>(begin), static_cast<int16_t>(end));
      }
    }
  }

  // All blocks of one source span.
  void place(int64_t source, int16_t begin, int16_t end) {
    const int64_t n_before = n_seen_[source]++;
    found_sources_.push_back(static_cast<int32_t>(source));
    const BlockRange blocks = events_.table_.blocks(source);
    for (int64_t block = blocks.begin; block < blocks.end; ++block) {
      const int32_t phrase = events_.table_.target_phrase[block];
      const Occurrences at = occurrences_[phrase];
      if (at.n == 0) continue;
      const auto& offsets = events_.table_.target_offsets;
      const auto length = static_cast<int16_t>(offsets[phrase + 1] - offsets[phrase]);
      // Every earlier place of the source phrase gave this block `n` placements.
      int64_t left = events_.options_.max_placements - n_before * at.n;
      for (int32_t b = at.head; b >= 0 && left > 0; b = begins_[b].next, --left) {
        const int16_t target_begin = begins_[b].position;
        placements_.push_back({static_cast<int32_t>(block), begin, end, target_begin,
                               static_cast<int16_t>(target_begin + length)});
      }
    }
  }

  void forget() {
    for (const int32_t phrase : found_targets_) occurrences_[phrase] = {};
    for (const int32_t source : found_sources_) n_seen_[source] = 0;
  }

  // Files every placement under the corners where those that follow it begin.
  void link(size_t n_source, size_t n_target) {
    right_.clear(n_target, n_source, placements_.size());
    left_.clear(n_target, n_source, placements_.size());
    for (size_t p = placements_.size(); p-- > 0;) {
      const Placement& from = placements_[p];
      right_.push_front(from.target_end, from.source_end, static_cast<int32_t>(p));
      left_.push_front(from.target_end, from.source_begin, static_cast<int32_t>(p));
    }
  }

  const BlockEvents& events_;
  std::vector<Occurrences> occurrences_;  // per target phrase
  std::vector<int32_t> n_seen_;           // per source phrase, its places so far
  std::vector<Begin> begins_;
  std::vector<int32_t> found_targets_, found_sources_;
  std::vector<Placement> placements_;
  Corners right_, left_;
};

BlockEvents::BlockEvents(const BlockTable& table, const AlignedCorpus& corpus,
                         const EventOptions& options)
    : table_(table), corpus_(corpus), options_(options), targets_(table) {
  const auto& offsets = table.target_offsets;
  for (size_t i = 0; i < targets_.size(); ++i) {
    max_target_words_ = std::max(max_target_words_, static_cast<int>(offsets[i + 1] - offsets[i]));
  }
}

void BlockEvents::check_range(int64_t first, int64_t last) const {
  if (first < 0 || first > last || last > corpus_.size()) {
    throw Error("the sentence range lies outside the corpus");
  }
}

std::vector<Event> BlockEvents::collect(int64_t first, int64_t last, int n_threads) const {
  check_range(first, last);
  const auto n = static_cast<size_t>(last - first);
  std::vector<std::vector<Event>> parts((n + kChunk - 1) / kChunk);
  for_chunks(n, kChunk, n_threads, [&] {
    return [&, finder = Finder(*this)](size_t begin, size_t end) mutable {
      auto& part = parts[begin / kChunk];
      for (size_t i = begin; i < end; ++i) {
        finder.for_each(first + static_cast<int64_t>(i),
                        [&](const Event& event) { part.push_back(event); });
      }
    };
  });
  std::vector<Event> all;
  for (auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  }
  return all;
}

void BlockEvents::count(int64_t first, int64_t last, std::span<int32_t> counts,
                        int n_threads) const {
  check_range(first, last);
  if (counts.size() != static_cast<size_t>(kSides * table_.n_blocks())) {
    throw Error("event counts need three entries per block");
  }
  for_chunks(static_cast<size_t>(last - first), kChunk, n_threads, [&] {
    return [&, finder = Finder(*this)](size_t begin, size_t end) mutable {
      for (size_t i = begin; i < end; ++i) {
        finder.for_each(first + static_cast<int64_t>(i), [&](const Event& event) {
          const auto at = static_cast<size_t>(event.block) * kSides + static_cast<size_t>(event.side);
          std::atomic_ref(counts[at]).fetch_add(1, std::memory_order_relaxed);
        });
      }
    };
  });
}

std::vector<uint64_t> BlockEvents::frequent_pairs(int64_t threshold, uint64_t part,
                                                  uint64_t n_parts, int n_threads) const {
  const auto n = static_cast<size_t>(corpus_.size());
  std::vector<std::vector<uint64_t>> keys((n + kChunk - 1) / kChunk);
  for_chunks(n, kChunk, n_threads, [&] {
    return [&, finder = Finder(*this)](size_t begin, size_t end) mutable {
      auto& mine = keys[begin / kChunk];
      for (size_t i = begin; i < end; ++i) {
        finder.for_each(static_cast<int64_t>(i), [&](const Event& event) {
          if (event.previous < 0) return;
          const uint64_t key = static_cast<uint64_t>(event.previous) << 32 |
                               static_cast<uint64_t>(event.block);
          if (n_parts == 1 || mix(key) % n_parts == part) mine.push_back(key);
        });
      }
      mine.shrink_to_fit();
    };
  });
  std::vector<uint64_t> all;
  all.reserve(std::transform_reduce(keys.begin(), keys.end(), size_t{0}, std::plus<>(),
                                    [](const auto& chunk) { return chunk.size(); }));
  for (auto& chunk : keys) {
    all.insert(all.end(), chunk.begin(), chunk.end());
    chunk = {};
  }
  std::sort(all.begin(), all.end());
  std::vector<uint64_t> frequent;
  for (auto at = all.begin(); at != all.end();) {
    const auto end = std::find_if(at, all.end(), [at](uint64_t key) { return key != *at; });
    if (end - at > threshold) frequent.push_back(*at);
    at = end;
  }
  return frequent;
}

}  // namespace calque
