#include "hyps/nbest_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "error.h"

namespace calque {

namespace {

constexpr std::string_view kBar = "|||";
constexpr std::string_view kSpaces = " \t";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// The text before the next bar, which stands between spaces; `rest` begins after it. False where
// the rest has no bar: then it is all returned.
bool next_field(std::string_view& rest, std::string_view& field) {
  for (size_t at = rest.find(kBar); at != std::string_view::npos; at = rest.find(kBar, at + 1)) {
    const size_t end = at + kBar.size();
    const bool opens = at == 0 || kSpaces.find(rest[at - 1]) != std::string_view::npos;
    const bool closes = end == rest.size() || kSpaces.find(rest[end]) != std::string_view::npos;
    if (opens && closes) {
      field = trimmed(rest.substr(0, at));
      rest.remove_prefix(end);
      return true;
    }
  }
  field = trimmed(rest);
  rest = {};
  return false;
}

bool parse(std::string_view text, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) value = std::numeric_limits<double>::infinity();
  return end == text.data() + text.size() && error != std::errc::invalid_argument;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

}  // namespace

void NBestReader::feed(std::string_view block) {
  while (!block.empty()) {
    const size_t end = block.find('\n');
    ++line_;
    read_line(block.substr(0, end));
    block.remove_prefix(end == std::string_view::npos ? block.size() : end + 1);
  }
}

void NBestReader::read_line(std::string_view line) {
  std::array<std::string_view, 4> fields;
  size_t n = 0;
  bool more = true;
  while (more && n < fields.size()) more = next_field(line, fields[n++]);
  if (n < 3) throw Error("expected 'id ||| words ||| features ||| score'");
  int64_t sentence = -1;
  const std::string_view id = fields[0];
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), sentence);
  if (error != std::errc() || end != id.data() + id.size() || sentence < 0) {
    throw Error(quoted(id) + " is no sentence id: expected a whole number from 0");
  }
  const bool has_total = n == 4 && !fields[3].empty();
  if (line_ > 1 && has_total != !columns_.totals.empty()) {
    throw Error(has_total ? "has a total score, but lines before have none"
                          : "has no total score, but lines before have one");
  }
  read_features(fields[2]);
  if (has_total) {
    double total = 0;
    if (!parse(fields[3], total) || !std::isfinite(total)) {
      throw Error("the total score is " + quoted(fields[3]) + ", expected a finite number");
    }
    columns_.totals.push_back(total);
  }
  columns_.sentences.push_back(sentence);
  columns_.texts += fields[1];
  columns_.text_offsets.push_back(static_cast<int64_t>(columns_.texts.size()));
  columns_.row_offsets.push_back(static_cast<int64_t>(columns_.columns.size()));
}

void NBestReader::read_features(std::string_view field) {
  std::string_view label;
  pending_.clear();
  while (!(field = trimmed(field)).empty()) {
    const size_t end = std::min(field.find_first_of(kSpaces), field.size());
    const std::string_view word = field.substr(0, end);
    field.remove_prefix(end);
    double value = 0;
    if (parse(word, value)) {
      if (label.empty()) throw Error(quoted(word) + " has no name: expected 'Name= value'");
      pending_.push_back(value);
      continue;
    }
    if (!label.empty()) add_label(label);
    pending_.clear();
    const size_t equals = word.rfind('=');
    if (equals != std::string_view::npos && equals + 1 < word.size() && equals > 0 &&
        parse(word.substr(equals + 1), value)) {
      pending_.push_back(value);
      add_label(word.substr(0, equals));
      pending_.clear();
      label = {};
      continue;
    }
    label = word;
    if (label.back() == '=' || label.back() == ':') label.remove_suffix(1);
    if (label.empty()) throw Error(quoted(word) + " is no name of a feature");
  }
  if (!label.empty()) add_label(label);
}

void NBestReader::add_label(std::string_view label) {
  if (pending_.empty()) throw Error(quoted(label) + " has no value: expected a number");
  const auto id = static_cast<size_t>(label_names_.add(label));
  if (id == labels_.size()) {
    labels_.emplace_back();
    const std::string name(label);
    for (size_t i = 0; i < pending_.size(); ++i) {
      const int32_t feature =
          names_.add(pending_.size() == 1 ? name : name + "_" + std::to_string(i));
      if (static_cast<size_t>(feature) >= last_line_.size()) last_line_.push_back(0);
      labels_.back().push_back(feature);
    }
  }
  const std::vector<int32_t>& known = labels_[id];
  if (known.size() != pending_.size()) {
    throw Error(quoted(label) + " has " + std::to_string(pending_.size()) +
                " values here, but " + std::to_string(known.size()) + " before");
  }
  for (size_t i = 0; i < pending_.size(); ++i) add_feature(known[i], pending_[i]);
}

void NBestReader::add_feature(int32_t feature, double value) {
  int64_t& last = last_line_[static_cast<size_t>(feature)];
  if (last == line_) throw Error(quoted(names_.word(feature)) + " is given twice");
  last = line_;
  if (!std::isfinite(value)) {
    throw Error("the value of " + quoted(names_.word(feature)) + " is " + std::to_string(value) +
                ", expected a finite number");
  }
  columns_.columns.push_back(feature);
  columns_.values.push_back(value);
}

}  // namespace calque
