#include "blocks/moses_writer.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "blocks/gaps.h"
#include "blocks/moses_rules.h"

namespace calque {
namespace {

constexpr std::string_view kBar = "|||";

// Probabilities as text, from their natural logs. Most values of a table recur, so recent ones are
// kept: turning a log into the shortest text that reads back as the same float is slow.
class Probabilities {
 public:
  Probabilities() : recent_(1 << 14) {}

  std::string_view text(float log_prob) {
    const auto bits = std::bit_cast<uint32_t>(log_prob);
    auto& entry = recent_[mix(bits) % recent_.size()];
    if (entry.second.empty() || entry.first != bits) entry = {bits, spell(log_prob)};
    return entry.second;
  }

 private:
  static std::string spell(float log_prob) {
    const double value = std::exp(static_cast<double>(log_prob));
    char buffer[64];
    for (const int digits : {6, 7, 8, 9, 12, 17}) {
      const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                                     std::chars_format::general, digits).ptr;
      double back = 0;
      std::from_chars(buffer, end, back);
      if (digits == 17 || static_cast<float>(std::log(back)) == log_prob) return {buffer, end};
    }
    return {};
  }
  std::vector<std::pair<uint32_t, std::string>> recent_;
};

// What stands for an id in a table: a word, or a gap.
std::string_view text_of(int32_t id, const WordTable& words, bool with_gaps) {
  return with_gaps && is_gap(id) ? kGapText : words.word(id);
}

// For each word its rank in byte order; the last entry is the rank of what ends a phrase: the bar, or
// the label of a rule. Gaps have one rank.
std::vector<int32_t> byte_ranks(const WordTable& words, bool with_gaps) {
  const int32_t n = words.size();
  std::vector<int32_t> order(static_cast<size_t>(n) + 1);
  std::iota(order.begin(), order.end(), 0);
  const auto text = [&](int32_t id) {
    if (id < n) return text_of(id, words, with_gaps);
    return with_gaps ? kLabelText : kBar;
  };
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return text(a) < text(b); });
  std::vector<int32_t> rank(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const bool is_same = i > 0 && text(order[i - 1]) == text(order[i]);
    rank[order[i]] = is_same ? rank[order[i - 1]] : static_cast<int32_t>(i);
  }
  return rank;
}

// Whether phrase a with its end behind it comes before b with its end behind it.
bool before(std::span<const int32_t> a, std::span<const int32_t> b,
            const std::vector<int32_t>& rank) {
  const auto same_text = [&](int32_t x, int32_t y) { return rank[x] == rank[y]; };
  const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin(), b.end(), same_text);
  const int32_t left_rank = left == a.end() ? rank.back() : rank[*left];
  const int32_t right_rank = right == b.end() ? rank.back() : rank[*right];
  return left_rank < right_rank;
}

void append_phrase(std::string& out, std::span<const int32_t> phrase, const WordTable& words,
                   bool with_gaps) {
  for (const int32_t id : phrase) out.append(text_of(id, words, with_gaps)).append(" ");
  if (with_gaps) out.append(kLabelText).append(" ");
  out.append(kBar).append(" ");
}

void append_number(std::string& out, int64_t value, char end) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr).push_back(end);
}

// The links of a block, and which gap is which.
void append_links(std::string& out, const BlockTable& table, const MosesLine& line,
                  bool with_gaps) {
  const auto links = table.inner_links(line.block);
  std::vector<std::pair<size_t, size_t>> by_target;  // Moses lists them by target position
  for (size_t i = 0; i < links.size(); i += 2) by_target.emplace_back(links[i + 1], links[i]);
  const auto source = table.source(line.source), target = table.target(line.block);
  for (size_t s = 0; with_gaps && s < source.size(); ++s) {
    if (!is_gap(source[s])) continue;
    const auto at = std::ranges::find(target, source[s]);
    by_target.emplace_back(at - target.begin(), s);
  }
  std::sort(by_target.begin(), by_target.end());
  for (const auto [t, s] : by_target) {
    append_number(out, static_cast<int64_t>(s), '-');
    append_number(out, static_cast<int64_t>(t), ' ');
  }
}

}  // namespace

std::vector<MosesLine> moses_order(const BlockTable& table, const WordTable& source,
                                   const WordTable& target, bool with_gaps) {
  const auto source_ranks = byte_ranks(source, with_gaps);
  const auto target_ranks = byte_ranks(target, with_gaps);
  std::vector<int64_t> sources(static_cast<size_t>(table.n_sources()));
  std::iota(sources.begin(), sources.end(), 0);
  std::sort(sources.begin(), sources.end(), [&](int64_t a, int64_t b) {
    return before(table.source(a), table.source(b), source_ranks);
  });
  std::vector<MosesLine> lines;
  lines.reserve(static_cast<size_t>(table.n_blocks()));
  for (const int64_t i : sources) {
    const auto [begin, end] = table.blocks(i);
    const auto first = static_cast<std::ptrdiff_t>(lines.size());
    for (int64_t block = begin; block < end; ++block) lines.push_back({i, block});
    // Stable: rules that differ only in which gap is which read alike, and stay best first.
    std::stable_sort(lines.begin() + first, lines.end(), [&](const MosesLine& a, const MosesLine& b) {
      return before(table.target(a.block), table.target(b.block), target_ranks);
    });
  }
  return lines;
}

std::string moses_phrases(const BlockTable& table, std::span<const MosesLine> lines,
                          const WordTable& source, const WordTable& target, bool with_gaps) {
  std::string out;
  Probabilities probabilities;
  for (const auto [i, block] : lines) {
    append_phrase(out, table.source(i), source, with_gaps);
    append_phrase(out, table.target(block), target, with_gaps);
    for (int k = 0; k < 4; ++k) {
      out.append(probabilities.text(table.scores[4 * block + k])).append(" ");
    }
    out.append(kBar).append(" ");
    append_links(out, table, {i, block}, with_gaps);
    out.append(kBar).append(" ");
    if (!table.joint_counts.empty()) {
      append_number(out, table.target_counts[table.target_phrase[block]], ' ');
      append_number(out, table.source_counts[i], ' ');
      append_number(out, table.joint_counts[block], ' ');
    }
    out.append("||| |||\n");
  }
  return out;
}

std::string moses_orientations(const BlockTable& table, std::span<const MosesLine> lines,
                               const WordTable& source, const WordTable& target) {
  std::string out;
  Probabilities probabilities;
  for (const auto [i, block] : lines) {
    append_phrase(out, table.source(i), source, false);
    append_phrase(out, table.target(block), target, false);
    for (int k = 0; k < 6; ++k) {
      out.append(probabilities.text(table.orientation[6 * block + k]));
      out.push_back(k < 5 ? ' ' : '\n');
    }
  }
  return out;
}

}  // namespace calque
