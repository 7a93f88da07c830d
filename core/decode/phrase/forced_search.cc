#include "decode/phrase/forced_search.h"

#include <algorithm>
#include <vector>

namespace calque {
namespace {

// How many words of the source, from the first on, the options can cover whatever their order. What
// lies beyond is in no prefix pair, nor is any hypothesis that covers a part of it.
size_t coverable(const OptionTable& table) {
  const auto n = static_cast<size_t>(table.size());
  std::vector<bool> reached(n + 1, false);
  reached[0] = true;
  size_t longest = 0;
  for (size_t begin = 0; begin < n; ++begin) {
    if (!reached[begin]) continue;
    const size_t last = std::min(n, begin + static_cast<size_t>(table.max_words()));
    for (size_t end = begin + 1; end <= last; ++end) {
      if (table.span(static_cast<int>(begin), static_cast<int>(end)).empty()) continue;
      reached[end] = true;
      longest = std::max(longest, end);
    }
  }
  return longest;
}

// For each source word the last place in the reference where an option that covers it matches.
std::vector<int32_t> latest_places(const OptionTable& table, std::span<const int32_t> reference) {
  std::vector<int32_t> latest(static_cast<size_t>(table.size()), -1);
  for (const Option& option : table.all()) {
    const auto match = std::ranges::find_end(reference, option.target);
    const auto place = static_cast<int32_t>(match.begin() - reference.begin());
    for (int word = option.begin; word < option.end; ++word) {
      int32_t& known = latest[static_cast<size_t>(word)];
      known = std::max(known, place);
    }
  }
  return latest;
}

}  // namespace

ForcedSearch::ForcedSearch(const ModelView& model, const WeightView& weights,
                           const ReorderingRules& reordering, const ForcedLimits& limits,
                           const LeaveOneOut* leave_one_out)
    : model_(model),
      weights_(weights),
      limits_(limits),
      collector_(model, weights, {0, 0, 0, false}, {reordering.least_left_count, false},
                 leave_one_out),
      search_(*model.features, weights, {reordering, 0, 0, 0, false, false, limits.max_bytes, 0, false},
              ForcedTarget(model, weights, {}, false, {})) {}

const SearchGraph* ForcedSearch::run(const SentenceView& source,
                                     std::span<const int32_t> reference) {
  reached_ = false;
  if (source.size() > limits_.max_words) return nullptr;
  collector_.collect(table_, source, {}, reference);
  const size_t n = coverable(table_);
  const bool whole = n == source.words.size();
  if (!whole) collector_.collect(table_, source.first(n), {}, reference);
  search_.set_target({model_, weights_, reference, whole, latest_places(table_, reference)});
  const SearchGraph& graph = search_.run(table_);
  if (graph.truncated) return nullptr;
  reached_ = whole && !graph.complete.empty();
  return &graph;
}

}  // namespace calque
