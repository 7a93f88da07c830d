#include "blocks/fallback.h"

#include <algorithm>
#include <unordered_map>

namespace calque {
namespace {

void sort_unique(std::vector<int32_t>& words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

}  // namespace

std::vector<Partner> partners(std::span<const int32_t> words, const AlignedCorpus& corpus,
                              const LinkCounts& links) {
  std::vector<Partner> out(words.size(), {-1, false});
  if (words.empty()) return out;
  std::unordered_map<int32_t, size_t> index;
  for (size_t i = 0; i < words.size(); ++i) index.emplace(words[i], i);
  std::vector<double> best(words.size());
  const auto offer = [&](size_t i, int32_t word, double value) {
    if (value > best[i] || (value == best[i] && word < out[i].word)) {
      out[i].word = word;
      best[i] = value;
    }
  };

  links.for_each([&](uint32_t source, uint32_t target, int64_t count) {
    if (source == LinkCounts::kNull || target == LinkCounts::kNull) return;
    const auto at = index.find(static_cast<int32_t>(source));
    if (at == index.end()) return;
    offer(at->second, static_cast<int32_t>(target), static_cast<double>(count));
    out[at->second].linked = true;
  });
  std::erase_if(index, [&](const auto& entry) { return out[entry.second].linked; });
  if (index.empty()) return out;

  // Sentence pairs with the source word, with the target word, and with both.
  std::vector<int64_t> n_source(words.size());
  std::unordered_map<int32_t, int64_t> n_target;
  std::vector<std::unordered_map<int32_t, int64_t>> n_both(words.size());
  std::vector<int32_t> present, beside;
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const SentencePair pair = corpus[i];
    beside.assign(pair.target.begin(), pair.target.end());
    sort_unique(beside);
    for (const int32_t word : beside) ++n_target[word];
    present.clear();
    for (const int32_t word : pair.source) {
      if (index.contains(word)) present.push_back(word);
    }
    sort_unique(present);
    for (const int32_t word : present) {
      const size_t at = index.at(word);
      ++n_source[at];
      for (const int32_t target : beside) ++n_both[at][target];
    }
  }
  for (const auto& [word, at] : index) {
    for (const auto& [target, n] : n_both[at]) {
      const auto sum = static_cast<double>(n_source[at] + n_target.at(target));
      offer(at, target, 2 * static_cast<double>(n) / sum);
    }
  }
  return out;
}

}  // namespace calque
