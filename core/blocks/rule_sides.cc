#include "blocks/rule_sides.h"

#include <algorithm>

#include "checks.h"

namespace calque {
namespace {

bool comes_before(std::span<const int32_t> a, std::span<const int32_t> b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// Calls visit(phrase) for every distinct phrase of the runs, in order.
template <typename Visit>
void for_each_merged(const std::vector<SideRun>& runs, Visit visit) {
  struct Head {
    const SideRun* run;
    int64_t at;
    std::span<const int32_t> phrase;
  };
  const auto later = [](const Head& a, const Head& b) { return comes_before(b.phrase, a.phrase); };
  std::vector<Head> heads;
  for (const SideRun& run : runs) {
    if (run.size() > 0) heads.push_back({&run, 0, run[0]});
  }
  std::make_heap(heads.begin(), heads.end(), later);
  std::span<const int32_t> last;
  while (!heads.empty()) {
    std::pop_heap(heads.begin(), heads.end(), later);
    Head& head = heads.back();
    if (last.empty() || comes_before(last, head.phrase)) {
      last = head.phrase;
      visit(last);
    }
    if (++head.at == head.run->size()) {
      heads.pop_back();
    } else {
      head.phrase = (*head.run)[head.at];
      std::push_heap(heads.begin(), heads.end(), later);
    }
  }
}

}  // namespace

CollectedSides collect_sides(const AlignedCorpus& corpus, const RuleLimits& limits, int64_t first,
                             int64_t last, int64_t max_sides) {
  CollectedSides out;
  LinkGrid grid;
  RuleFinder finder(limits);
  int64_t i = first;
  for (; i < last && std::max(out.sources.size(), out.targets.size()) < max_sides; ++i) {
    for (int64_t set = 0; set < corpus.n_sets(); ++set) {
      const SentencePair pair = corpus.pair(i, set);
      grid.assign(pair);
      finder.for_each(grid, [&](const RuleSpan& rule) {
        out.sources.add(source_side(pair, rule).view());
        out.targets.add(target_side(pair, rule).view());
      });
    }
    const SentencePair pair = corpus[i];
    for (size_t s = 0; s < pair.source.size(); ++s) out.sources.add(pair.source.subspan(s, 1));
    for (size_t t = 0; t < pair.target.size(); ++t) out.targets.add(pair.target.subspan(t, 1));
  }
  out.next_sentence = i;
  return out;
}

SidesSize merged_size(const std::vector<SideRun>& runs) {
  SidesSize out;
  for_each_merged(runs, [&](std::span<const int32_t> phrase) {
    ++out.n_sides;
    out.n_symbols += static_cast<int64_t>(phrase.size());
  });
  return out;
}

void merge_sides(const std::vector<SideRun>& runs, std::span<int32_t> symbols,
                 std::span<int64_t> offsets) {
  size_t n_sides = 0, n_symbols = 0;
  for_each_merged(runs, [&](std::span<const int32_t> phrase) {
    if (n_sides + 1 < offsets.size() && n_symbols + phrase.size() <= symbols.size()) {
      std::ranges::copy(phrase, symbols.begin() + static_cast<std::ptrdiff_t>(n_symbols));
      offsets[n_sides + 1] = static_cast<int64_t>(n_symbols + phrase.size());
    }
    ++n_sides;
    n_symbols += phrase.size();
  });
  check_size(offsets.size(), n_sides + 1, "offsets of the sides");
  check_size(symbols.size(), n_symbols, "symbols of the sides");
  offsets[0] = 0;
}

}  // namespace calque
