#include "metrics/bleu.h"

#include <algorithm>
#include <cmath>

#include "metrics/rows.h"

namespace calque {

NgramReferences::NgramReferences(const Texts& lines, size_t n_sets, int order)
    : references_(lines, n_sets), index_(order) {
  std::vector<std::span<const int32_t>> group(n_sets);
  for (size_t s = 0; s < references_.n_sentences(); ++s) {
    for (size_t k = 0; k < n_sets; ++k) group[k] = references_.reference(s, k);
    index_.add_group(group);
  }
}

double NgramReferences::reference_length(size_t sentence, size_t n_words,
                                         ReferenceLength rule) const {
  int64_t best = -1;
  int64_t total = 0;
  const auto distance = [&](int64_t length) {
    return rule == ReferenceLength::shortest ? length
                                             : std::abs(length - static_cast<int64_t>(n_words));
  };
  for (size_t k = 0; k < references_.n_sets(); ++k) {
    const auto length = static_cast<int64_t>(references_.reference(sentence, k).size());
    total += length;
    if (best < 0 || distance(length) < distance(best) ||
        (distance(length) == distance(best) && length < best)) {
      best = length;
    }
  }
  if (rule != ReferenceLength::average) return static_cast<double>(best);
  return static_cast<double>(total) / static_cast<double>(references_.n_sets());
}

std::vector<double> NgramReferences::bleu(const Texts& hypotheses,
                                          std::span<const int64_t> sentences,
                                          const BleuOptions& options, int n_threads) const {
  const auto order = static_cast<size_t>(index_.order());
  return fill_rows(hypotheses.size(), 2 + 2 * order, n_threads, [&] {
    return [&, ids = std::vector<int32_t>(), seen = std::vector<int32_t>()](
               size_t i, std::span<double> row) mutable {
      const auto sentence = static_cast<size_t>(sentences[i]);
      references_.encode(hypotheses[i], ids);
      row[0] = static_cast<double>(ids.size());
      row[1] = reference_length(sentence, ids.size(), options.length);
      for (size_t n = 0; n < order; ++n) {
        row[2 + order + n] = static_cast<double>(n_ngrams(ids.size(), n));
      }
      index_.for_matches(sentence, ids, seen, [&](size_t n, size_t, bool counts) {
        row[2 + n] += counts || !options.clip ? 1.0 : 0.0;
      });
    };
  });
}

std::vector<double> NgramReferences::nist(const Texts& hypotheses,
                                          std::span<const int64_t> sentences,
                                          int n_threads) const {
  const auto order = static_cast<size_t>(index_.order());
  return fill_rows(hypotheses.size(), 2 + 2 * order, n_threads, [&] {
    return [&, ids = std::vector<int32_t>(), seen = std::vector<int32_t>()](
               size_t i, std::span<double> row) mutable {
      const auto sentence = static_cast<size_t>(sentences[i]);
      references_.encode(hypotheses[i], ids);
      for (size_t n = 0; n < order; ++n) {
        row[order + n] = static_cast<double>(n_ngrams(ids.size(), n));
      }
      index_.for_matches(sentence, ids, seen, [&](size_t n, size_t node, bool counts) {
        if (counts) row[n] += information_[node];
      });
      row[2 * order] = static_cast<double>(ids.size());
      row[2 * order + 1] = reference_length(sentence, ids.size(), ReferenceLength::average);
    };
  });
}

void NgramReferences::weigh() {
  // The n-grams of the whole corpus in one trie; node 0 is its root and counts all words.
  KeyMap<uint32_t> edges;
  std::vector<int64_t> counts{0};
  const auto child = [&](uint32_t parent, int32_t word) {
    const uint64_t edge = static_cast<uint64_t>(parent) << 32 | static_cast<uint32_t>(word);
    if (const uint32_t* found = edges.find(edge)) return *found;
    const auto added = static_cast<uint32_t>(counts.size());
    edges.insert(edge, added);
    counts.push_back(0);
    return added;
  };
  const auto order = static_cast<size_t>(index_.order());
  const auto for_references = [&](auto visit) {
    for (size_t s = 0; s < references_.n_sentences(); ++s) {
      for (size_t k = 0; k < references_.n_sets(); ++k) visit(s, references_.reference(s, k));
    }
  };
  for_references([&](size_t, std::span<const int32_t> words) {
    counts[0] += static_cast<int64_t>(words.size());
    for (size_t begin = 0; begin < words.size(); ++begin) {
      uint32_t at = 0;
      for (size_t i = begin; i < std::min(words.size(), begin + order); ++i) {
        at = child(at, words[i]);
        ++counts[at];
      }
    }
  });
  information_.assign(index_.n_nodes(), 0.0);
  std::vector<int32_t> seen;
  for_references([&](size_t sentence, std::span<const int32_t> words) {
    // A reference matches itself everywhere, so visits run through its n-grams position by
    // position, shorter ones first: the corpus trie can be walked in step.
    size_t n_begun = 0;
    uint32_t at = 0;
    index_.for_matches(sentence, words, seen, [&](size_t n, size_t node, bool) {
      if (n == 0) {
        ++n_begun;
        at = 0;
      }
      const uint32_t next = child(at, words[n_begun - 1 + n]);
      information_[node] =
          std::log2(static_cast<double>(counts[at]) / static_cast<double>(counts[next]));
      at = next;
    });
  });
}

}  // namespace calque
