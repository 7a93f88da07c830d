// The best derivations of gold lattices under any weights.
#pragma once

#include <cstdint>
#include <span>

#include "decode/phrase/gold_lattice.h"
#include "decode/phrase/option_collector.h"
#include "decode/phrase/search.h"

namespace calque {

// One lattice after the other; one per thread. Nothing is pruned, and any block that matches may be
// used, whatever limits translation has.
class GoldSearch {
 public:
  GoldSearch(const ModelView& model, const WeightView& weights, const ReorderingRules& reordering,
             const LeaveOneOut* leave_one_out);

  // Searches a pair or prefix pair; `ends`: whether the end of the sentence is scored. Without
  // `states` dead ends count as well, with which the search may be very long; but no swap leaves a
  // gap that nothing fills.
  void run(const SentenceView& source, std::span<const int32_t> reference, bool ends,
           const GoldStates* states);

  // The best hypothesis that covers so many words, by its score and what `ahead(hypothesis)` adds; of
  // those that cover all words, one that gives the whole reference. -1: there is none.
  template <typename Ahead>
  int32_t best(int n_covered, Ahead ahead) const {
    if (n_covered == table_.size()) return graph_->complete.empty() ? -1 : graph_->complete.front();
    int32_t best = -1;
    double highest = 0;
    for (const int32_t id : search_.stack(n_covered)) {
      const double value = (*graph_)[id].score + ahead((*graph_)[id]);
      if (best >= 0 && (value < highest || (value == highest && best < id))) continue;
      best = id;
      highest = value;
    }
    return best;
  }
  const SearchGraph& graph() const { return *graph_; }
  const OptionTable& table() const { return table_; }

 private:
  ModelView model_;
  WeightView weights_;
  OptionCollector collector_;
  OptionTable table_;
  Search<GoldTarget> search_;
  const SearchGraph* graph_ = nullptr;
};

// The score of the best derivation in every bin of some lattices, minus infinity where there is none:
// n_source + 1 numbers for each. `source` and `references` are of all pairs.
// Oracle: tests/test_decode_gold.py (enumeration).
std::vector<double> gold_scores(const ModelView& model, const WeightView& weights,
                                const ReorderingRules& reordering, const LeaveOneOut* leave_one_out,
                                const SourceText& source, const ReferenceTexts::Text& references,
                                const GoldView& lattices, int n_threads);

}  // namespace calque
