#include "blocks/phrases.h"

#include <numeric>
#include <string>

#include "checks.h"
#include "error.h"
#include "interrupt.h"

namespace calque {
namespace {

// Positions in rising order of their word; equal words keep the order of the text.
std::vector<uint32_t> by_word(std::span<const int32_t> words) {
  const int32_t top = words.empty() ? 0 : *std::max_element(words.begin(), words.end());
  std::vector<uint32_t> starts(static_cast<size_t>(top) + 2);
  for (const int32_t word : words) ++starts[static_cast<size_t>(word) + 1];
  for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<uint32_t> order(words.size());
  for (size_t p = 0; p < words.size(); ++p) order[starts[words[p]]++] = static_cast<uint32_t>(p);
  return order;
}

// The number of words from each position to the end of its sentence, at most max_words.
std::vector<uint8_t> words_left(std::span<const int64_t> offsets, int max_words) {
  std::vector<uint8_t> left(static_cast<size_t>(offsets.back()));
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (int64_t p = offsets[i]; p < offsets[i + 1]; ++p) {
      left[p] = static_cast<uint8_t>(std::min<int64_t>(offsets[i + 1] - p, max_words));
    }
  }
  return left;
}

}  // namespace

void check(const Phrases& phrases) {
  if (phrases.first_ids.size() < 2) throw Error("phrases by length have at least one entry");
  check_offsets(phrases.first_ids, phrases.examples.size(), "phrases by length");
  for (size_t length = 1; length < phrases.first_ids.size(); ++length) {
    for (int64_t id = phrases.first_ids[length - 1]; id < phrases.first_ids[length]; ++id) {
      if (phrases.examples[id] + length > phrases.words.size()) {
        throw Error("a phrase lies outside its corpus");
      }
    }
  }
}

std::vector<int32_t> lengths(const Phrases& phrases, std::span<const uint32_t> ids) {
  std::vector<int32_t> out;
  out.reserve(ids.size());
  for (const uint32_t id : ids) {
    if (id >= phrases.examples.size()) throw Error("no phrase has the id " + std::to_string(id));
    out.push_back(phrases.length(id));
  }
  return out;
}

void gather(const Phrases& phrases, std::span<const uint32_t> ids, std::span<int32_t> words) {
  const std::vector<int32_t> n_words = lengths(phrases, ids);
  check_size(words.size(), std::accumulate(n_words.begin(), n_words.end(), size_t{0}),
             "words of the phrases");
  auto at = words.begin();
  for (const uint32_t id : ids) at = std::ranges::copy(phrases[id], at).out;
}

NumberedPhrases number_phrases(std::span<const int32_t> words, std::span<const int64_t> offsets,
                               int max_words, std::span<uint32_t> ids) {
  const size_t n_words = words.size();
  if (n_words >= kNoPhrase) throw Error("more than 2^32 - 2 running words on one side");
  std::fill(ids.begin(), ids.end(), kNoPhrase);
  const std::vector<uint32_t> word_order = by_word(words);
  const std::vector<uint8_t> left = words_left(offsets, max_words);

  NumberedPhrases out;
  out.first_ids.push_back(0);
  std::vector<uint32_t> order = word_order;
  for (int n = 1; n <= max_words; ++n) {
    end_if_interrupted();
    const auto last = static_cast<size_t>(n - 1);
    const uint32_t* shorter = n > 1 ? ids.data() + (last - 1) * n_words : nullptr;
    if (n > 1) {
      // Sorted by the last word already (word_order); a stable sort by the words before it remains.
      const int64_t base = out.first_ids[last - 1];
      std::vector<uint32_t> starts(static_cast<size_t>(out.first_ids[last] - base) + 1);
      for (size_t p = 0; p < n_words; ++p) {
        if (left[p] >= n) ++starts[shorter[p] - base + 1];
      }
      for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
      order.resize(starts.back());
      for (const uint32_t end : word_order) {
        if (end < last) continue;
        const uint32_t p = end - static_cast<uint32_t>(last);
        if (left[p] >= n) order[starts[shorter[p] - base]++] = p;
      }
    }
    uint32_t* const longer = ids.data() + last * n_words;
    for (size_t i = 0; i < order.size(); ++i) {
      const uint32_t p = order[i];
      const bool same = i > 0 && words[p + last] == words[order[i - 1] + last] &&
                        (n == 1 || shorter[p] == shorter[order[i - 1]]);
      if (!same) {
        if (out.examples.size() == kNoPhrase) throw Error("more than 2^32 - 2 distinct phrases");
        out.examples.push_back(p);
      }
      longer[p] = static_cast<uint32_t>(out.examples.size() - 1);
    }
    out.first_ids.push_back(static_cast<int64_t>(out.examples.size()));
  }
  return out;
}

NumberedPhrases numbered_phrases(std::span<const int32_t> words, std::span<const int64_t> offsets) {
  if (words.size() >= kNoPhrase) throw Error("more than 2^32 - 2 words of phrases");
  NumberedPhrases out;
  out.first_ids.push_back(0);
  std::span<const int32_t> last;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto phrase = words.subspan(offsets[i], offsets[i + 1] - offsets[i]);
    if (phrase.size() < last.size() ||
        (phrase.size() == last.size() &&
         !std::lexicographical_compare(last.begin(), last.end(), phrase.begin(), phrase.end()))) {
      throw Error("phrases are out of order: expected them sorted by length and words");
    }
    while (out.first_ids.size() < phrase.size()) {
      out.first_ids.push_back(static_cast<int64_t>(i));
    }
    out.examples.push_back(static_cast<uint32_t>(offsets[i]));
    last = phrase;
  }
  out.first_ids.push_back(static_cast<int64_t>(out.examples.size()));
  return out;
}

}  // namespace calque
