#include "metrics/chrf.h"

#include <algorithm>

#include "metrics/rows.h"

namespace calque {
namespace {

// The characters of a line without its white space.
void characters_of(std::string_view line, std::vector<int32_t>& out) {
  out.clear();
  for_words(line, [&](std::string_view word) { append_characters(word, out); });
}

bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// Calls visit(word) for the words of a line, one mark of punctuation split off at the end of each,
// or else at its beginning.
template <typename Visit>
void for_chrf_words(std::string_view line, Visit visit) {
  for_words(line, [&](std::string_view word) {
    size_t cut = 0;
    if (word.size() > 1 && is_punctuation(word.back())) {
      cut = word.size() - 1;
    } else if (word.size() > 1 && is_punctuation(word.front())) {
      cut = 1;
    }
    if (cut > 0) visit(word.substr(0, cut));
    visit(word.substr(cut));
  });
}

}  // namespace

ChrfReferences::ChrfReferences(const Texts& lines, size_t n_sets, const ChrfOptions& options)
    : n_sets_(n_sets),
      options_(options),
      character_index_(options.char_order),
      word_index_(options.word_order) {
  std::vector<int32_t> symbols;
  const auto add = [&](NgramIndex& index, std::vector<size_t>& lengths) {
    const std::span<const int32_t> sequence(symbols);
    index.add_group(std::span(&sequence, 1));
    lengths.push_back(symbols.size());
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    characters_of(lines[i], symbols);
    add(character_index_, n_characters_);
    if (options.word_order == 0) continue;
    symbols.clear();
    for_chrf_words(lines[i], [&](std::string_view word) { symbols.push_back(words_.add(word)); });
    add(word_index_, n_words_);
  }
}

std::vector<double> ChrfReferences::statistics(const Texts& hypotheses,
                                               std::span<const int64_t> sentences,
                                               int n_threads) const {
  struct Scratch {
    std::vector<int32_t> characters, words, seen;
    std::vector<double> row;
  };
  return fill_rows(hypotheses.size(), n_columns(), n_threads, [&] {
    return [&, scratch = Scratch()](size_t i, std::span<double> best) mutable {
      auto& [characters, words, seen, row] = scratch;
      characters_of(hypotheses[i], characters);
      words.clear();
      if (options_.word_order > 0) {
        for_chrf_words(hypotheses[i],
                       [&](std::string_view word) { words.push_back(words_.find(word)); });
      }
      double best_score = -1.0;
      for (size_t k = 0; k < n_sets_; ++k) {
        row.assign(n_columns(), 0.0);
        fill(static_cast<size_t>(sentences[i]) * n_sets_ + k, characters, words, seen, row);
        const double score = n_sets_ == 1 ? 0.0 : f_score(row);
        if (score > best_score) {
          best_score = score;
          std::copy(row.begin(), row.end(), best.begin());
        }
      }
    };
  });
}

void ChrfReferences::fill(size_t group, std::span<const int32_t> characters,
                          std::span<const int32_t> words, std::vector<int32_t>& seen,
                          std::span<double> row) const {
  const auto fill_orders = [&](const NgramIndex& index, std::span<const int32_t> symbols,
                               size_t reference_length, std::span<double> part) {
    for (size_t n = 0; n < static_cast<size_t>(index.order()); ++n) {
      const int64_t in_reference = n_ngrams(reference_length, n);
      // sacreBLEU leaves an order out where the reference is too short for it.
      part[3 * n] = in_reference > 0 ? static_cast<double>(n_ngrams(symbols.size(), n)) : 0.0;
      part[3 * n + 1] = static_cast<double>(in_reference);
    }
    index.for_matches(group, symbols, seen, [&](size_t n, size_t, bool counts) {
      if (counts) part[3 * n + 2] += 1.0;
    });
  };
  const auto n_first = 3 * static_cast<size_t>(options_.char_order);
  fill_orders(character_index_, characters, n_characters_[group], row.first(n_first));
  if (options_.word_order > 0) {
    fill_orders(word_index_, words, n_words_[group], row.subspan(n_first));
  }
}

double ChrfReferences::f_score(std::span<const double> row) const {
  double precision = 0.0;
  double recall = 0.0;
  int n_orders = 0;
  for (size_t i = 0; i < row.size(); i += 3) {
    if (row[i] == 0.0 || row[i + 1] == 0.0) continue;
    precision += row[i + 2] / row[i];
    recall += row[i + 2] / row[i + 1];
    ++n_orders;
  }
  if (n_orders == 0 || precision + recall == 0.0) return 0.0;
  precision /= n_orders;
  recall /= n_orders;
  const double factor = options_.beta * options_.beta;
  return 100.0 * ((1.0 + factor) * precision * recall / (factor * precision + recall));
}

}  // namespace calque
