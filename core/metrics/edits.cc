#include "metrics/edits.h"

#include <algorithm>

#include "metrics/rows.h"
#include "metrics/ter.h"

namespace calque {
namespace {

// Edits where order does not count. `counts`: zeros, one per reference word; zeros again after.
int64_t bag_edits(std::span<const int32_t> hypothesis, std::span<const int32_t> reference,
                  std::vector<int32_t>& counts) {
  for (const int32_t word : reference) ++counts[static_cast<size_t>(word)];
  int64_t n_shared = 0;
  for (const int32_t word : hypothesis) {
    if (word >= 0 && counts[static_cast<size_t>(word)] > 0) {
      --counts[static_cast<size_t>(word)];
      ++n_shared;
    }
  }
  for (const int32_t word : reference) counts[static_cast<size_t>(word)] = 0;
  return static_cast<int64_t>(std::max(hypothesis.size(), reference.size())) - n_shared;
}

struct Edits {
  int64_t n_edits;
  int64_t length;

  // Whether the rate is lower, or the same with fewer edits, so that the order of references does not
  // matter. Edits to nothing are worse than any rate, no edits are the best.
  bool better_than(const Edits& other) const {
    if (n_edits == 0 || other.n_edits == 0) return n_edits < other.n_edits;
    const int64_t mine = n_edits * other.length, others = other.n_edits * length;
    return mine != others ? mine < others : n_edits < other.n_edits;
  }
};

}  // namespace

int64_t levenshtein(std::span<const int32_t> hypothesis, std::span<const int32_t> reference,
                    std::vector<int64_t>& row) {
  row.resize(reference.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = static_cast<int64_t>(j);
  for (const int32_t word : hypothesis) {
    int64_t diagonal = row[0]++;
    for (size_t j = 1; j < row.size(); ++j) {
      const int64_t replaced = diagonal + (word != reference[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<double> EditReferences::statistics(const Texts& hypotheses,
                                               std::span<const int64_t> sentences, EditKind kind,
                                               int n_threads) const {
  struct Scratch {
    std::vector<int32_t> ids, counts;
    std::vector<int64_t> row;
    Ter ter;
  };
  const size_t n_sets = references_.n_sets();
  return fill_rows(hypotheses.size(), 2, n_threads, [&] {
    return [&, scratch = Scratch{.ids = {},
                                 .counts = std::vector<int32_t>(references_.n_words()),
                                 .row = {},
                                 .ter = {}}](size_t i, std::span<double> out) mutable {
      references_.encode(hypotheses[i], scratch.ids);
      const std::span<const int32_t> hypothesis(scratch.ids);
      Edits best{};
      int64_t total_length = 0;
      for (size_t k = 0; k < n_sets; ++k) {
        const auto reference = references_.reference(static_cast<size_t>(sentences[i]), k);
        Edits edits{0, static_cast<int64_t>(reference.size())};
        total_length += edits.length;
        if (kind == EditKind::words) {
          edits.n_edits = levenshtein(hypothesis, reference, scratch.row);
        } else if (kind == EditKind::bag) {
          edits.n_edits = bag_edits(hypothesis, reference, scratch.counts);
        } else {
          edits.n_edits = scratch.ter.n_edits(hypothesis, reference);
        }
        const bool better = kind == EditKind::ter ? edits.n_edits < best.n_edits
                                                  : edits.better_than(best);
        if (k == 0 || better) best = edits;
      }
      out[0] = static_cast<double>(best.n_edits);
      out[1] = kind == EditKind::ter
                   ? static_cast<double>(total_length) / static_cast<double>(n_sets)
                   : static_cast<double>(best.length);
    };
  });
}

}  // namespace calque
