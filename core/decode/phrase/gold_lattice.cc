#include "decode/phrase/gold_lattice.h"

#include <algorithm>
#include <map>
#include <utility>

#include "decode/phrase/translation_graph.h"
#include "error.h"
#include "parallel.h"

namespace calque {
namespace {

// The lattices of one pair.
struct Found {
  struct Lattice {
    int32_t n_source, n_target;
    bool is_whole;
    std::vector<GoldState> states;
  };
  std::vector<Lattice> lattices;
  bool too_large = false;
};

GoldState state_of(const SearchGraph& graph, const Hypothesis& hypothesis) {
  return {graph.coverage(hypothesis), graph.places[hypothesis.place].last_end, hypothesis.target};
}

// The states on ways to some hypotheses, in the order of the search.
std::vector<GoldState> states_to(const SearchGraph& graph, std::span<const int32_t> ends) {
  const std::vector<bool> marked = on_ways_to(graph, ends);
  GoldStates states;
  for (size_t id = 0; id < marked.size(); ++id) {
    if (marked[id]) states.intern(state_of(graph, graph.hypotheses[id]));
  }
  std::vector<GoldState> all;
  for (size_t id = 0; id < states.size(); ++id) all.push_back(states[static_cast<int32_t>(id)]);
  return all;
}

Found find_one(const GoldOptions& options, ForcedSearch& search, const SentenceView& source,
               std::span<const int32_t> reference) {
  Found found;
  const SearchGraph* graph = search.run(source, reference);
  found.too_large = graph == nullptr;
  if (found.too_large) return found;
  if (search.reached()) {
    found.lattices.push_back({source.size(), static_cast<int32_t>(reference.size()), true,
                              states_to(*graph, graph->complete)});
    return found;
  }
  std::map<std::pair<int32_t, int32_t>, std::vector<int32_t>> ends;  // of prefix pairs
  for (int32_t id = 1; id < static_cast<int32_t>(graph->hypotheses.size()); ++id) {
    const Coverage& covered = graph->coverage((*graph)[id]);
    if (covered.later != 0 || covered.first < options.min_prefix) continue;
    ends[{covered.first, (*graph)[id].target}].push_back(id);
  }
  if (!options.all_prefixes && !ends.empty()) ends.erase(ends.begin(), std::prev(ends.end()));
  for (const auto& [pair, ids] : ends) {
    found.lattices.push_back({pair.first, pair.second, false, states_to(*graph, ids)});
  }
  return found;
}

uint16_t narrow(int32_t n) {
  if (n < 0 || n > UINT16_MAX) throw Error("a sentence is too long for gold lattices");
  return static_cast<uint16_t>(n);
}

}  // namespace

void load_states(const GoldView& lattices, size_t at, GoldStates& states) {
  states.clear();
  const auto end = static_cast<size_t>(lattices.offsets[at + 1]);
  for (auto i = static_cast<size_t>(lattices.offsets[at]); i < end; ++i) {
    const Coverage coverage{lattices.first[i], lattices.later[i]};
    states.intern({coverage, lattices.last_end[i], lattices.n_words[i]});
  }
}

GoldLattices find_gold(const ModelView& model, const GoldOptions& options, const SourceText& source,
                       const ReferenceTexts::Text& references, int n_threads) {
  const std::vector<double> zeros(model.dense().size());
  const WeightView no_weights{zeros, nullptr};  // which states there are is no matter of weights
  const SourceText wanted{references.ids, references.offsets, references.ids, {}, 0, {}};
  std::vector<Found> found(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    return [&, search = ForcedSearch(model, no_weights, options.reordering, options.limits,
                                     options.leave_one_out)](size_t at, size_t) mutable {
      found[at] = find_one(options, search, source.sentence(at), wanted.sentence(at).words);
    };
  });
  GoldLattices all;
  for (size_t at = 0; at < found.size(); ++at) {
    all.n_too_large += found[at].too_large;
    for (const auto& lattice : found[at].lattices) {
      all.pairs.push_back(static_cast<int64_t>(at));
      all.n_source.push_back(lattice.n_source);
      all.n_target.push_back(lattice.n_target);
      all.is_whole.push_back(lattice.is_whole);
      for (const GoldState& state : lattice.states) {
        all.later.push_back(state.coverage.later);
        all.first.push_back(narrow(state.coverage.first));
        all.last_end.push_back(narrow(state.last_end));
        all.n_words.push_back(narrow(state.n_words));
      }
      all.offsets.push_back(static_cast<int64_t>(all.later.size()));
    }
  }
  return all;
}

}  // namespace calque
