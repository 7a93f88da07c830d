#include "lm/arpa_reader.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "error.h"
#include "hash.h"

namespace calque {
namespace {

constexpr double kLog10 = std::numbers::ln10;
constexpr float kMissingUnknown = static_cast<float>(-100 * kLog10);

bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string quote(std::string_view text) {
  constexpr size_t kMost = 60;
  if (text.size() <= kMost) return "'" + std::string(text) + "'";
  while (text.size() > kMost || (text.back() & 0xc0) == 0x80) text.remove_suffix(1);
  text.remove_suffix((text.back() & 0x80) != 0);  // not half a character
  return "'" + std::string(text) + "...'";
}

// The next field of `line`, which is cut off it; empty at the end.
std::string_view next_field(std::string_view& line) {
  size_t begin = 0;
  while (begin < line.size() && is_space(line[begin])) ++begin;
  size_t end = begin;
  while (end < line.size() && !is_space(line[end])) ++end;
  const std::string_view field = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return field;
}

// A finite number in base 10 as a natural log.
float parse_log(std::string_view field, const char* name) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value) ||
      !std::isfinite(static_cast<float>(value * kLog10))) {
    throw Error(std::string("the ") + name + " " + quote(field) + " is not a finite number");
  }
  return static_cast<float>(value * kLog10);
}

std::string grams(int n) { return std::to_string(n) + "-grams"; }

uint64_t hash_of(Ngram ngram) {
  return mix(static_cast<uint64_t>(static_cast<uint32_t>(ngram.context)) << 32 |
             static_cast<uint32_t>(ngram.word));
}

}  // namespace

ArpaReader::ArpaReader() {
  for (const char* reserved : {"<unk>", "<s>", "</s>"}) words_.add(reserved);
  listed_.assign(3, false);
}

void ArpaReader::feed(std::string_view block) {
  while (!block.empty()) {
    const size_t end = std::min(block.find('\n'), block.size());
    ++line_;
    take_line(block.substr(0, end));
    block.remove_prefix(std::min(end + 1, block.size()));
  }
}

void ArpaReader::take_line(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty()) return;
  switch (part_) {
    case Part::kBeforeData:
      if (text != "\\data\\") throw Error("expected \\data\\, found " + quote(text));
      part_ = Part::kCounts;
      return;
    case Part::kCounts:
      return text.front() == '\\' ? take_section(text) : take_count(text);
    case Part::kNgrams:
      // A line that starts with a backslash cannot be an n-gram: those start with a number.
      return text.front() == '\\' ? take_section(text) : take_ngram(text);
    case Part::kAfterEnd:
      throw Error("expected nothing after \\end\\, found " + quote(text));
  }
}

void ArpaReader::take_count(std::string_view line) {
  const auto wrong = [&] {
    return Error("expected 'ngram " + std::to_string(order() + 1) +
                 "=COUNT' or a section, found " + quote(line));
  };
  std::string_view rest = line;
  if (next_field(rest) != "ngram") throw wrong();
  rest = trim(rest);
  int n = 0;
  int64_t count = 0;
  const char* const end = rest.data() + rest.size();
  const auto [equals, n_error] = std::from_chars(rest.data(), end, n);
  if (n_error != std::errc() || equals == end || *equals != '=' || n != order() + 1) throw wrong();
  const auto [stop, error] = std::from_chars(equals + 1, end, count);
  if (error != std::errc() || stop != end || count < 0) throw wrong();
  if (n > kMaxLmOrder) {
    throw Error("the model has order " + std::to_string(n) + ", expected at most " +
                std::to_string(kMaxLmOrder));
  }
  orders_.emplace_back().promised = count;
}

void ArpaReader::take_section(std::string_view line) {
  if (order() == 0) throw Error("expected 'ngram 1=COUNT', found " + quote(line));
  check_complete();
  if (section_ == order()) {
    if (line != "\\end\\") throw Error("expected \\end\\, found " + quote(line));
    part_ = Part::kAfterEnd;
    return;
  }
  const std::string expected = "\\" + grams(section_ + 1) + ":";
  if (line != expected) throw Error("expected " + expected + ", found " + quote(line));
  ++section_;
  part_ = Part::kNgrams;
  if (section_ == 1) {
    at(1).log_probs.assign(3, 0);
    at(1).backoffs.assign(3, 0);
  }
}

void ArpaReader::check_complete() const {
  if (section_ == 0) return;
  const Order& order = at(section_);
  if (order.n_read != order.promised) {
    throw Error("the header promises " + std::to_string(order.promised) + " " + grams(section_) +
                ", found " + std::to_string(order.n_read));
  }
}

void ArpaReader::take_ngram(std::string_view line) {
  const int n = section_;
  if (at(n).n_read++ == at(n).promised) {
    throw Error("the header promises " + std::to_string(at(n).promised) + " " + grams(n) +
                ", found more");
  }
  std::string_view rest = line;
  const float log_prob = parse_log(next_field(rest), "log probability");
  if (log_prob > 0) throw Error("the log probability is positive, expected at most 0");
  std::array<std::string_view, kMaxLmOrder> words;
  for (int k = 0; k < n; ++k) words[k] = next_field(rest);
  const std::string_view last = next_field(rest);
  if (words[n - 1].empty() || !trim(rest).empty()) {
    throw Error("expected a log probability, " + std::to_string(n) + (n == 1 ? " word" : " words") +
                (n == order() ? "" : " and perhaps a backoff") + ", found " + quote(line));
  }
  const float backoff = last.empty() ? 0 : parse_log(last, "backoff");
  if (n == order() && backoff != 0) {
    throw Error("an n-gram of the highest order has a backoff, expected none");
  }
  if (n == 1) {
    take_unigram(words[0], log_prob, backoff);
  } else {
    take_longer(n, std::span(words).first(static_cast<size_t>(n)), log_prob, backoff);
  }
}

void ArpaReader::take_unigram(std::string_view word, float log_prob, float backoff) {
  // Some toolkits write the unknown word in capitals.
  const auto id = static_cast<size_t>(words_.add(word == "<UNK>" ? "<unk>" : word));
  Order& order = at(1);
  if (id >= listed_.size()) {
    listed_.push_back(false);
    order.log_probs.push_back(0);
    order.backoffs.push_back(0);
  }
  if (listed_[id]) throw Error("the 1-gram " + quote(word) + " is listed twice");
  listed_[id] = true;
  order.log_probs[id] = log_prob;
  order.backoffs[id] = backoff;
}

void ArpaReader::take_longer(int n, std::span<const std::string_view> words, float log_prob,
                             float backoff) {
  int32_t context = -1;
  for (int k = 0; k < n; ++k) {
    const int32_t word = words_.find(words[k] == "<UNK>" ? "<unk>" : words[k]);
    if (word < 0) throw Error("the word " + quote(words[k]) + " is not among the 1-grams");
    if (k == 0) {
      context = word;
    } else if (k < n - 1) {
      context = find(k + 1, {context, word});
      if (context < 0) {
        throw Error("its first " + std::to_string(n - 1) + " words are not among the " +
                    grams(n - 1));
      }
    } else if (find(n, {context, word}) >= 0) {
      throw Error("the " + std::to_string(n) + "-gram is listed twice");
    } else {
      add(n, {context, word}, log_prob, backoff);
    }
  }
}

void ArpaReader::finish() {
  if (part_ == Part::kBeforeData) throw Error("expected \\data\\, found the end of the file");
  if (part_ != Part::kAfterEnd) {
    if (part_ == Part::kNgrams) check_complete();
    throw Error("expected \\end\\, found the end of the file");
  }
  for (const int32_t id : {kStartWord, kEndWord}) {
    if (!listed_[static_cast<size_t>(id)]) {
      throw Error(std::string(words_.word(id)) + " is not among the 1-grams");
    }
  }
  if (!listed_[kUnknownWord]) at(1).log_probs[kUnknownWord] = kMissingUnknown;
  for (int n = 2; n <= order(); ++n) {
    const size_t n_listed = at(n).ngrams.size();
    at(n).suffixes.resize(n_listed);
    for (size_t i = 0; i < n_listed; ++i) {
      const auto [context, word] = at(n).ngrams[i];
      at(n).suffixes[i] =
          n == 2 ? word : ensure(n - 1, {at(n - 1).suffixes[context], word});
    }
  }
  for (int n = 1; n < order(); ++n) mark_endings(at(n + 1).ngrams, at(n).backoffs);
}

int32_t ArpaReader::ensure(int n, Ngram ngram) {
  const int32_t found = find(n, ngram);
  if (found >= 0) return found;
  const int32_t context_end = n == 2 ? 0 : at(n - 1).suffixes[ngram.context];
  const int32_t suffix = n == 2 ? ngram.word : ensure(n - 1, {context_end, ngram.word});
  add(n, ngram, at(n - 1).log_probs[suffix] + at(n - 1).backoffs[ngram.context], 0);
  at(n).suffixes.push_back(suffix);
  return static_cast<int32_t>(at(n).ngrams.size()) - 1;
}

int32_t ArpaReader::find(int n, Ngram ngram) const {
  const Order& order = at(n);
  if (order.index.empty()) return -1;
  const size_t mask = order.index.size() - 1;
  for (size_t slot = hash_of(ngram) & mask;; slot = (slot + 1) & mask) {
    const int32_t id = order.index[slot];
    if (id < 0) return -1;
    if (order.ngrams[id].context == ngram.context && order.ngrams[id].word == ngram.word) return id;
  }
}

void ArpaReader::add(int n, Ngram ngram, float log_prob, float backoff) {
  Order& order = at(n);
  if (order.ngrams.size() == std::numeric_limits<int32_t>::max()) {
    throw Error("more than 2^31 - 1 " + grams(n));
  }
  order.ngrams.push_back(ngram);
  order.log_probs.push_back(log_prob);
  order.backoffs.push_back(backoff);
  if (2 * order.ngrams.size() > order.index.size()) {
    grow(order);
  } else {
    const size_t mask = order.index.size() - 1;
    size_t slot = hash_of(ngram) & mask;
    while (order.index[slot] >= 0) slot = (slot + 1) & mask;
    order.index[slot] = static_cast<int32_t>(order.ngrams.size()) - 1;
  }
}

void ArpaReader::grow(Order& order) {
  order.index.assign(std::max<size_t>(1024, order.index.size() * 2), -1);
  const size_t mask = order.index.size() - 1;
  for (size_t i = 0; i < order.ngrams.size(); ++i) {
    size_t slot = hash_of(order.ngrams[i]) & mask;
    while (order.index[slot] >= 0) slot = (slot + 1) & mask;
    order.index[slot] = static_cast<int32_t>(i);
  }
}

}  // namespace calque
