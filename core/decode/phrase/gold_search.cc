#include "decode/phrase/gold_search.h"

#include <limits>

#include "parallel.h"

namespace calque {

GoldSearch::GoldSearch(const ModelView& model, const WeightView& weights,
                       const ReorderingRules& reordering, const LeaveOneOut* leave_one_out)
    : model_(model),
      weights_(weights),
      collector_(model, weights, {0, 0, 0, false}, {reordering.least_left_count, false},
                 leave_one_out),
      search_(*model.features, weights, {reordering, 0, 0, 0, false, false, 0, 0, false},
              GoldTarget(model, weights, {}, false, nullptr)) {}

void GoldSearch::run(const SentenceView& source, std::span<const int32_t> reference, bool ends,
                     const GoldStates* states) {
  collector_.collect(table_, source, {}, reference);
  search_.set_target({model_, weights_, reference, ends, states});
  graph_ = &search_.run(table_);
}

std::vector<double> gold_scores(const ModelView& model, const WeightView& weights,
                                const ReorderingRules& reordering, const LeaveOneOut* leave_one_out,
                                const SourceText& source, const ReferenceTexts::Text& references,
                                const GoldView& lattices, int n_threads) {
  const SourceText wanted{references.ids, references.offsets, references.ids, {}, 0, {}};
  std::vector<size_t> offsets{0};
  for (const int32_t n : lattices.n_source) {
    offsets.push_back(offsets.back() + static_cast<size_t>(n) + 1);
  }
  std::vector<double> scores(offsets.back(), -std::numeric_limits<double>::infinity());
  for_chunks(lattices.size(), 1, n_threads, [&] {
    return [&, search = GoldSearch(model, weights, reordering, leave_one_out),
            states = GoldStates()](size_t at, size_t) mutable {
      const auto pair = static_cast<size_t>(lattices.pairs[at]);
      load_states(lattices, at, states);
      search.run(source.sentence(pair).first(static_cast<size_t>(lattices.n_source[at])),
                 wanted.sentence(pair).words.first(static_cast<size_t>(lattices.n_target[at])),
                 lattices.is_whole[at] != 0, &states);
      for (int n = 0; n <= lattices.n_source[at]; ++n) {
        const int32_t best = search.best(n, [](const Hypothesis&) { return 0.0; });
        if (best >= 0) scores[offsets[at] + static_cast<size_t>(n)] = search.graph()[best].score;
      }
    };
  });
  return scores;
}

}  // namespace calque
