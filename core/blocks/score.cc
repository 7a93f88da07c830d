#include "blocks/score.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "blocks/merge.h"
#include "interrupt.h"

namespace calque {
namespace {

struct Candidate {
  uint32_t target = 0;
  int32_t count = 0;
  bool made = false;  // for a word without blocks (fallback.h)
  std::array<int32_t, 6> orientation_counts{};
  uint64_t links = 0;           // the most frequent inner alignment
  uint64_t mirrored_links = 0;  // the same under the mirrored tie rule
  std::array<float, 4> scores{};
  double total = 0;
};

uint64_t transpose(uint64_t links) {
  uint64_t out = 0;
  for (; links != 0; links &= links - 1) {
    const int bit = std::countr_zero(links);
    out |= uint64_t{1} << (bit % kMaxWords * kMaxWords + bit / kMaxWords);
  }
  return out;
}

// Whether alignment a comes after b when both are read as one rising list of positions per row.
bool greater_by_rows(uint64_t a, uint64_t b) {
  if (a == b) return false;
  const int first = std::countr_zero(a ^ b);
  const int row_end = (first / kMaxWords + 1) * kMaxWords;
  // Up to `first` the rows agree. The side with that bit is greater only if the other one's list
  // ends there; otherwise the other side goes on with a greater position.
  const bool a_has = a >> first & 1;
  const uint64_t other = a_has ? b : a;
  const uint64_t rest = first + 1 == 64 ? 0 : other >> (first + 1);
  const bool other_goes_on = (rest & ((uint64_t{1} << (row_end - first - 1)) - 1)) != 0;
  return a_has != other_goes_on;
}

// The records of one phrase pair, summed; `merger` stands at the first of them.
Candidate read_candidate(Merger& merger) {
  Candidate out;
  const uint64_t key = merger.peek().key;
  out.target = merger.peek().target();
  int64_t best = -1;
  while (!merger.done() && merger.peek().key == key) {
    const uint64_t links = merger.peek().links;
    int64_t count = 0;
    while (!merger.done() && merger.peek().key == key && merger.peek().links == links) {
      const Record record = merger.next();
      const auto n = static_cast<int32_t>(record.count());
      out.orientation_counts[record.previous()] += n;
      out.orientation_counts[3 + record.next()] += n;
      out.made |= record.made();
      count += n;
    }
    out.count += static_cast<int32_t>(count);
    if (count > best) {
      out.links = out.mirrored_links = links;
      best = count;
    } else if (count == best) {
      if (greater_by_rows(links, out.links)) out.links = links;
      if (greater_by_rows(transpose(links), transpose(out.mirrored_links))) {
        out.mirrored_links = links;
      }
    }
  }
  return out;
}

void score(Candidate& block, int64_t source_count, int64_t target_count, const LinkCounts& counts,
           std::span<const int32_t> source, std::span<const int32_t> target) {
  const double lexical_source =
      lexical_source_given_target(counts, source, target, block.mirrored_links);
  const double lexical_target = lexical_target_given_source(counts, source, target, block.links);
  const auto frequency = [&](int64_t whole, double lexical) {
    return block.count > 0 ? block.count / static_cast<double>(whole) : lexical;
  };
  const std::array probabilities{frequency(target_count, lexical_source), lexical_source,
                                 frequency(source_count, lexical_target), lexical_target};
  for (size_t i = 0; i < 4; ++i) {
    block.scores[i] = static_cast<float>(std::log(probabilities[i]));
    block.total += block.scores[i];
  }
}

void append(ScoredBlocks& out, const Candidate& block, bool oriented) {
  out.target_ids.push_back(block.target);
  out.joint_counts.push_back(block.count);
  out.scores.insert(out.scores.end(), block.scores.begin(), block.scores.end());
  for (const int32_t n : block.orientation_counts) {
    if (!oriented) break;
    out.orientation.push_back(static_cast<float>(std::log((n + 0.5) / (block.count + 1.5))));
  }
  // In the order of the pairs (source, target), which is that of the transposed bits.
  const uint64_t by_source = transpose(block.links);
  for (uint64_t links = by_source; links != 0; links &= links - 1) {
    const int bit = std::countr_zero(links);
    out.links.push_back(static_cast<uint8_t>(bit / kMaxWords));
    out.links.push_back(static_cast<uint8_t>(bit % kMaxWords));
  }
  out.n_links.push_back(std::popcount(by_source));
}

// What a block that was made for a word may not show: it stands for no occurrence.
void forget_counts(Candidate& block) {
  block.count = 0;
  block.orientation_counts = {};
}

// Sorts by falling score and drops what the options rule out; a word keeps its best block.
void prune(std::vector<Candidate>& blocks, bool is_word, const PruneOptions& options) {
  std::sort(blocks.begin(), blocks.end(), [](const Candidate& a, const Candidate& b) {
    return a.total != b.total ? a.total > b.total : a.target < b.target;
  });
  std::erase_if(blocks, [&](const Candidate& block) {
    return !block.made && block.count < options.min_count;
  });
  const auto is_unlikely = [&](const Candidate& block) {
    return !block.made && std::min(block.scores[0], block.scores[2]) < options.min_log_prob;
  };
  if (is_word && std::ranges::all_of(blocks, is_unlikely)) {
    blocks.resize(std::min<size_t>(blocks.size(), 1));
  } else {
    std::erase_if(blocks, is_unlikely);
  }
  if (static_cast<int64_t>(blocks.size()) > options.max_targets) {
    blocks.resize(static_cast<size_t>(options.max_targets));
  }
}

}  // namespace

ScoredBlocks score_blocks(const std::vector<SortedRun>& runs, uint64_t first_source,
                          uint64_t last_source, const Phrases& sources, const Phrases& targets,
                          std::span<const uint32_t> target_counts, const LinkCounts& links,
                          const PruneOptions& options, bool oriented) {
  ScoredBlocks out;
  std::vector<Candidate> blocks;
  Merger merger(runs, first_source, last_source);
  while (!merger.done()) {
    end_if_interrupted();
    const uint32_t source = merger.peek().source();
    const auto words = sources[source];
    int64_t count = 0;
    blocks.clear();
    while (!merger.done() && merger.peek().source() == source) {
      blocks.push_back(read_candidate(merger));
      count += blocks.back().count;
      if (blocks.back().made) forget_counts(blocks.back());
    }
    for (Candidate& block : blocks) {
      score(block, count, target_counts[block.target], links, words, targets[block.target]);
    }
    prune(blocks, words.size() == 1, options);
    if (blocks.empty()) continue;
    out.source_ids.push_back(source);
    out.source_counts.push_back(static_cast<int32_t>(count));
    out.n_blocks.push_back(static_cast<int32_t>(blocks.size()));
    for (const Candidate& block : blocks) append(out, block, oriented);
  }
  return out;
}

}  // namespace calque
