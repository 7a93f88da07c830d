#include "blocks/moses_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "blocks/gaps.h"

namespace calque {
namespace {

constexpr std::string_view kBar = "|||";
constexpr size_t kLongestPhrase = 255;  // positions inside a block are bytes

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

template <typename Number>
bool parse(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Natural logs of probabilities; what is wrong with them, or nothing.
template <size_t n>
std::string parse_logs(const std::vector<std::string_view>& tokens, std::array<float, n>& logs) {
  if (tokens.size() != n) {
    return "has " + std::to_string(tokens.size()) + " scores, expected " + std::to_string(n);
  }
  for (size_t i = 0; i < n; ++i) {
    double value = 0;
    if (!parse(tokens[i], value) || !std::isfinite(value)) {
      return "score " + quoted(tokens[i]) + " is not a number";
    }
    if (value <= 0) return "score " + quoted(tokens[i]) + ": expected a probability above 0";
    logs[i] = static_cast<float>(std::log(value));
  }
  return {};
}

std::string empty_or_long(const std::vector<std::string_view>& phrase, const char* side) {
  if (phrase.empty()) return std::string("the ") + side + " phrase is empty";
  if (phrase.size() > kLongestPhrase) {
    return std::string("the ") + side + " phrase has more than 255 words";
  }
  return {};
}

}  // namespace

// Splits every line into fields of tokens and hands it to `parse`, which says what is wrong.
template <typename Parse>
LineProblem MosesReader::each_line(std::string_view text, int64_t& n_lines, Parse parse_line) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++n_lines;
    size_t n_fields = 1;
    if (fields_.empty()) fields_.emplace_back();
    fields_[0].clear();
    for (size_t at = 0; at < line.size();) {
      if (line[at] == ' ') {
        ++at;
        continue;
      }
      const size_t end = std::min(line.find(' ', at), line.size());
      const std::string_view token = line.substr(at, end - at);
      at = end;
      if (token != kBar) {
        fields_[n_fields - 1].push_back(token);
      } else {
        if (++n_fields > fields_.size()) fields_.emplace_back();
        fields_[n_fields - 1].clear();
      }
    }
    fields_.resize(n_fields);
    if (std::string message = parse_line(); !message.empty()) return {n_lines, std::move(message)};
  }
  return {};
}

LineProblem MosesReader::add_phrases(std::string_view text) {
  return each_line(text, n_phrase_lines_, [this] { return parse_phrases(); });
}

LineProblem MosesReader::add_orientations(std::string_view text) {
  if (orientation_.empty()) {
    std::array<float, 6> missing;
    missing.fill(std::numeric_limits<float>::quiet_NaN());
    orientation_.assign(scores_.size(), missing);
  }
  return each_line(text, n_orientation_lines_, [this] { return parse_orientations(); });
}

std::string MosesReader::parse_phrases() {
  if (fields_.size() < 3 || fields_.size() > 7) {
    return "has " + std::to_string(fields_.size()) + " fields separated by |||, expected 3 to 7";
  }
  if (with_gaps_) {
    if (auto problem = take_label(fields_[0], "source"); !problem.empty()) return problem;
    if (auto problem = take_label(fields_[1], "target"); !problem.empty()) return problem;
  }
  if (auto problem = empty_or_long(fields_[0], "source"); !problem.empty()) return problem;
  if (auto problem = empty_or_long(fields_[1], "target"); !problem.empty()) return problem;
  auto& scores = scores_.emplace_back();
  if (auto problem = parse_logs(fields_[2], scores); !problem.empty()) return problem;
  if (fields_.size() > 5 && !fields_[5].empty()) return "has sparse features, expected none";

  source_ = to_ids(fields_[0], source_table_);
  target_ = to_ids(fields_[1], target_table_);
  const Tokens none;
  const Tokens& points = fields_.size() > 3 ? fields_[3] : none;
  if (auto problem = parse_points(points, source_.size(), target_.size()); !problem.empty()) {
    return problem;
  }
  if (with_gaps_) {
    if (auto problem = number_gaps(source_, target_, points_); !problem.empty()) return problem;
  }
  const int64_t source = sources_.add(source_), target = targets_.add(target_);
  int64_t& line = line_of_pair_(static_cast<uint32_t>(source), static_cast<uint32_t>(target));
  if (line > 0) return "repeats the phrase pair of line " + std::to_string(line);
  line_source_.push_back(static_cast<int32_t>(source));
  line = static_cast<int64_t>(line_source_.size());
  line_target_.push_back(static_cast<int32_t>(target));
  links_.insert(links_.end(), points_.begin(), points_.end());
  link_offsets_.push_back(static_cast<int64_t>(links_.size()));
  return parse_counts(fields_.size() > 4 ? fields_[4] : none, source, target);
}

std::vector<int32_t> MosesReader::to_ids(const Tokens& tokens, WordTable& words) const {
  std::vector<int32_t> ids;
  ids.reserve(tokens.size());
  for (const std::string_view token : tokens) {
    ids.push_back(with_gaps_ && token == kGapText ? kFirstGap : words.add(token));
  }
  return ids;
}

// Fills `points_`, sorted, each once.
std::string MosesReader::parse_points(const Tokens& points, size_t n_source, size_t n_target) {
  points_.clear();
  for (const std::string_view point : points) {
    const size_t dash = point.find('-');
    uint32_t s = 0, t = 0;
    if (dash == std::string_view::npos || !parse(point.substr(0, dash), s) ||
        !parse(point.substr(dash + 1), t)) {
      return "alignment point " + quoted(point) + ": expected two positions as in 0-1";
    }
    if (s >= n_source || t >= n_target) {
      return "alignment point " + quoted(point) + " lies outside the phrases (" +
             std::to_string(n_source) + " and " + std::to_string(n_target) + " words)";
    }
    points_.push_back({static_cast<uint8_t>(s), static_cast<uint8_t>(t)});
  }
  std::sort(points_.begin(), points_.end());
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  return {};
}

std::string MosesReader::parse_counts(const Tokens& counts, int64_t source, int64_t target) {
  const size_t n_before = line_source_.size() - 1;
  if (counts.empty() != joint_counts_.empty() && n_before > 0) {
    return counts.empty() ? "lacks the counts that earlier lines have"
                          : "has counts, which earlier lines lack";
  }
  if (counts.empty()) return {};
  if (counts.size() != 3) {
    return "has " + std::to_string(counts.size()) + " counts, expected target, source and pair";
  }
  std::array<int32_t, 3> values{};
  for (size_t i = 0; i < 3; ++i) {
    double value = 0;  // Moses writes large counts as 1.2e+06
    if (!parse(counts[i], value) || !(value >= 0 && value <= 2147483647.0) ||
        value != std::floor(value)) {
      return "count " + quoted(counts[i]) + ": expected a whole number";
    }
    values[i] = static_cast<int32_t>(value);
  }
  if (target == static_cast<int64_t>(target_counts_.size())) target_counts_.push_back(values[0]);
  if (source == static_cast<int64_t>(source_counts_.size())) source_counts_.push_back(values[1]);
  joint_counts_.push_back(values[2]);
  return {};
}

std::string MosesReader::parse_orientations() {
  if (fields_.size() != 3) {
    return "has " + std::to_string(fields_.size()) + " fields separated by |||, expected 3";
  }
  if (auto problem = empty_or_long(fields_[0], "source"); !problem.empty()) return problem;
  if (auto problem = empty_or_long(fields_[1], "target"); !problem.empty()) return problem;
  std::array<float, 6> logs;
  if (auto problem = parse_logs(fields_[2], logs); !problem.empty()) return problem;
  source_.clear();
  target_.clear();
  for (const auto word : fields_[0]) source_.push_back(source_table_.find(word));
  for (const auto word : fields_[1]) target_.push_back(target_table_.find(word));
  const int64_t source = sources_.find(source_), target = targets_.find(target_);
  const bool known = source >= 0 && target >= 0;
  const int64_t line =
      known ? line_of_pair_.find(static_cast<uint32_t>(source), static_cast<uint32_t>(target)) : 0;
  if (line == 0) return "this phrase pair is not in the phrase table";
  auto& row = orientation_[static_cast<size_t>(line - 1)];
  if (!std::isnan(row[0])) return "repeats a phrase pair";
  row = logs;
  return {};
}

int64_t MosesReader::line_without_orientation() const {
  for (size_t i = 0; i < orientation_.size(); ++i) {
    if (std::isnan(orientation_[i][0])) return static_cast<int64_t>(i) + 1;
  }
  return orientation_.empty() && !scores_.empty() ? 1 : 0;
}

MosesArrays MosesReader::finish() const {
  MosesArrays out;
  const auto lay_out = [](const PhraseSet& phrases, const std::vector<int32_t>& counts,
                          std::vector<int32_t>& words, std::vector<int64_t>& offsets,
                          std::vector<int32_t>& sorted_counts) {
    const std::vector<int64_t> order = phrases.sorted();
    std::vector<int32_t> rank(order.size());
    offsets.push_back(0);
    for (size_t i = 0; i < order.size(); ++i) {
      const auto phrase = phrases[order[i]];
      rank[order[i]] = static_cast<int32_t>(i);
      words.insert(words.end(), phrase.begin(), phrase.end());
      offsets.push_back(static_cast<int64_t>(words.size()));
      if (!counts.empty()) sorted_counts.push_back(counts[order[i]]);
    }
    return rank;
  };
  const auto source_rank =
      lay_out(sources_, source_counts_, out.source_words, out.source_offsets, out.source_counts);
  const auto target_rank =
      lay_out(targets_, target_counts_, out.target_words, out.target_offsets, out.target_counts);

  // Lines go to the stretch of their source phrase, then each stretch is sorted by score.
  const size_t n = scores_.size();
  out.block_offsets.assign(static_cast<size_t>(sources_.size()) + 1, 0);
  for (const int32_t source : line_source_) ++out.block_offsets[source_rank[source] + 1];
  std::partial_sum(out.block_offsets.begin(), out.block_offsets.end(), out.block_offsets.begin());
  std::vector<int64_t> place(out.block_offsets);
  std::vector<size_t> order(n);
  std::vector<double> total(n);
  for (size_t i = 0; i < n; ++i) {
    order[place[source_rank[line_source_[i]]]++] = i;
    total[i] = std::accumulate(scores_[i].begin(), scores_[i].end(), 0.0);
  }
  for (size_t i = 0; i + 1 < out.block_offsets.size(); ++i) {
    const auto begin = order.begin() + out.block_offsets[i];
    std::sort(begin, order.begin() + out.block_offsets[i + 1], [&](size_t a, size_t b) {
      if (total[a] != total[b]) return total[a] > total[b];
      return target_rank[line_target_[a]] < target_rank[line_target_[b]];
    });
  }
  out.link_offsets.push_back(0);
  for (const size_t i : order) {
    out.target_phrase.push_back(target_rank[line_target_[i]]);
    if (!joint_counts_.empty()) out.joint_counts.push_back(joint_counts_[i]);
    out.scores.insert(out.scores.end(), scores_[i].begin(), scores_[i].end());
    if (!orientation_.empty()) {
      out.orientation.insert(out.orientation.end(), orientation_[i].begin(), orientation_[i].end());
    }
    for (int64_t at = link_offsets_[i]; at < link_offsets_[i + 1]; ++at) {
      out.links.insert(out.links.end(), links_[at].begin(), links_[at].end());
    }
    out.link_offsets.push_back(static_cast<int64_t>(out.links.size() / 2));
  }
  return out;
}

}  // namespace calque
