#include "align/pairs.h"

#include <algorithm>

#include "checks.h"
#include "error.h"
#include "parallel.h"

namespace calque::align {
namespace {

int32_t n_types(std::span<const int32_t> ids) {
  return ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end()) + 1;
}

// The running words grouped by type: positions at[w] .. at[w + 1] of `places` hold word w.
struct Occurrences {
  struct Place {
    uint32_t sentence, position;
  };
  std::vector<int64_t> at;
  std::vector<Place> places;
};

Occurrences occurrences(const Bitext& bitext, int32_t n_sources) {
  Occurrences out;
  out.at.assign(static_cast<size_t>(n_sources) + 1, 0);
  for (int32_t word : bitext.source) ++out.at[word + 1];
  for (int32_t w = 0; w < n_sources; ++w) out.at[w + 1] += out.at[w];
  out.places.resize(bitext.source.size());
  std::vector<int64_t> next(out.at.begin(), out.at.end() - 1);
  for (size_t n = 0; n < bitext.size(); ++n) {
    const auto words = bitext.source_sentence(n);
    for (size_t i = 0; i < words.size(); ++i) {
      out.places[next[words[i]]++] = {static_cast<uint32_t>(n), static_cast<uint32_t>(i)};
    }
  }
  return out;
}

// Where the cells of each sentence pair begin.
std::vector<int64_t> cells_at(const Bitext& bitext, int32_t max_words) {
  std::vector<int64_t> at(bitext.size() + 1, 0);
  for (size_t n = 0; n < bitext.size(); ++n) {
    const auto i = static_cast<int64_t>(bitext.source_sentence(n).size());
    const auto j = static_cast<int64_t>(bitext.target_sentence(n).size());
    at[n + 1] = at[n] + (std::max(i, j) <= max_words ? i * j : 0);
  }
  return at;
}

}  // namespace

PairTable::PairTable(const Bitext& bitext, int32_t max_words, int n_threads)
    : n_targets_(n_types(bitext.target)), cells_at_(cells_at(bitext, max_words)) {
  const int32_t n_sources = n_types(bitext.source);
  cells_.resize(static_cast<size_t>(cells_at_.back()));

  const Occurrences found = occurrences(bitext, n_sources);
  std::vector<std::vector<int32_t>> partners(static_cast<size_t>(n_sources));
  for_chunks(partners.size(), 16, n_threads, [&] {
    return [&, rank = std::vector<int32_t>(static_cast<size_t>(n_targets_), -1)](
               size_t begin, size_t end) mutable {
      for (size_t word = begin; word < end; ++word) {
        const std::span places(found.places.data() + found.at[word],
                               static_cast<size_t>(found.at[word + 1] - found.at[word]));
        std::vector<int32_t>& row = partners[word];
        for (const auto place : places) {
          if (!has_cells(place.sentence)) continue;
          for (int32_t target : bitext.target_sentence(place.sentence)) {
            if (rank[target] >= 0) continue;
            rank[target] = 0;
            row.push_back(target);
          }
        }
        std::sort(row.begin(), row.end());
        for (size_t r = 0; r < row.size(); ++r) rank[row[r]] = static_cast<int32_t>(r);
        for (const auto place : places) {
          if (!has_cells(place.sentence)) continue;
          const auto targets = bitext.target_sentence(place.sentence);
          uint32_t* cell = cells_.data() + cells_at_[place.sentence] +
                           static_cast<size_t>(place.position) * targets.size();
          for (int32_t target : targets) *cell++ = static_cast<uint32_t>(rank[target]);
        }
        for (int32_t target : row) rank[target] = -1;
        row.shrink_to_fit();
      }
    };
  });

  rows_.assign(partners.size() + 1, 0);
  for (size_t w = 0; w < partners.size(); ++w) {
    rows_[w + 1] = rows_[w] + static_cast<int64_t>(partners[w].size());
  }
  targets_.reserve(static_cast<size_t>(rows_.back()));
  for (auto& row : partners) {
    targets_.insert(targets_.end(), row.begin(), row.end());
    std::vector<int32_t>().swap(row);
  }
  arrays_ = {rows_, targets_, cells_};
}

PairTable::PairTable(const Bitext& bitext, int32_t max_words, const Arrays& arrays)
    : n_targets_(n_types(bitext.target)), cells_at_(cells_at(bitext, max_words)), arrays_(arrays) {
  const auto [rows, targets, cells] = arrays;
  check_offsets(rows, targets.size(), "pairs of words");
  check_size(rows.size(), static_cast<size_t>(n_types(bitext.source)) + 1, "rows of pairs");
  check_ids(targets, n_targets_, "target words of pairs");
  check_size(cells.size(), static_cast<size_t>(cells_at_.back()), "cells of pairs");
  for (size_t n = 0; n < bitext.size(); ++n) {
    if (!has_cells(n)) continue;
    const auto source = bitext.source_sentence(n);
    const auto target = bitext.target_sentence(n);
    for (size_t i = 0; i < source.size(); ++i) {
      const uint32_t* cell = row(n, i, target.size());
      const int64_t begin = rows[source[i]], n_pairs = rows[source[i] + 1] - begin;
      for (size_t j = 0; j < target.size(); ++j) {
        if (cell[j] >= n_pairs || targets[begin + cell[j]] != target[j]) {
          throw Error("pairs of words differ from those of the sentences");
        }
      }
    }
  }
}

std::vector<int64_t> PairTable::numbers_of(std::span<const int64_t> rows,
                                           std::span<const int32_t> targets) const {
  check_offsets(rows, targets.size(), "pairs of words");
  if (rows.size() > this->rows().size()) throw Error("pairs of words differ: too many rows");
  std::vector<int64_t> numbers;
  numbers.reserve(targets.size());
  for (size_t s = 0; s + 1 < rows.size(); ++s) {
    const auto all = this->targets().subspan(this->rows()[s], this->rows()[s + 1] - this->rows()[s]);
    auto at = all.begin();
    for (const int32_t target : targets.subspan(rows[s], rows[s + 1] - rows[s])) {
      at = std::lower_bound(at, all.end(), target);
      if (at == all.end() || *at != target) throw Error("pairs of words differ from those of all");
      numbers.push_back(this->rows()[s] + (at - all.begin()));
    }
  }
  return numbers;
}

}  // namespace calque::align
