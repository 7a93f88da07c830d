// The exhaustive search for derivations that give a reference.
#pragma once

#include <cstdint>
#include <span>

#include "decode/forced.h"
#include "decode/phrase/option_collector.h"
#include "decode/phrase/search.h"

namespace calque {

// Searches one sentence after the other; one per thread.
class ForcedSearch {
 public:
  // `leave_one_out`: what to leave out for sentences with a pair; null: nothing.
  ForcedSearch(const ModelView& model, const WeightView& weights, const ReorderingRules& reordering,
               const ForcedLimits& limits, const LeaveOneOut* leave_one_out);

  // Everything that gives a prefix of the reference, dead ends but for; null: too large. Valid until
  // the next run.
  const SearchGraph* run(const SentenceView& source, std::span<const int32_t> reference);

  // Of the last run: whether derivations give the whole reference; what was searched, which is a
  // prefix of the source where no options cover the rest.
  bool reached() const { return reached_; }
  const OptionTable& table() const { return table_; }

 private:
  ModelView model_;
  WeightView weights_;
  ForcedLimits limits_;
  OptionCollector collector_;
  OptionTable table_;
  Search<ForcedTarget> search_;
  bool reached_ = false;
};

}  // namespace calque
