#include "decode/derivation.h"

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "hash.h"

namespace calque {
namespace {

// A set of derivations that share everything after a hypothesis: `rest` is the way from there to
// the end, and `score` that of the best derivation among them, which is known exactly because the
// score of the hypothesis is that of the best way to it.
struct Partial {
  double score;
  int32_t hypothesis;
  int32_t rest;  // index of the suffix that follows; -1 at the end
  int64_t order; // of creation, to break ties
  bool operator<(const Partial& other) const {
    return score != other.score ? score < other.score : order > other.order;
  }
};

struct Suffix {
  int32_t option;
  int32_t rest;
};

Derivation build(const OptionTable& table, const std::vector<Suffix>& suffixes, int32_t at) {
  Derivation derivation;
  int last_begin = 0, last_end = 0;
  for (; at >= 0; at = suffixes[static_cast<size_t>(at)].rest) {
    const Option& option = table[suffixes[static_cast<size_t>(at)].option];
    const int orientation = option.begin == last_end  ? kMonotone
                            : option.end == last_begin ? kSwap
                                                       : kDiscontinuous;
    derivation.steps.push_back({option.begin, option.end, option.block, orientation,
                                {option.target.begin(), option.target.end()}});
    last_begin = option.begin;
    last_end = option.end;
  }
  return derivation;
}

uint64_t hash_target(const Derivation& derivation) {
  uint64_t hash = 0;
  for (const Step& step : derivation.steps) {
    for (const int32_t word : step.target) hash = mix(hash ^ static_cast<uint32_t>(word)) + 1;
  }
  return hash;
}

}  // namespace

std::vector<Derivation> best_derivations(const Search& search, const OptionTable& table,
                                         const ModelView& model, int n, bool distinct) {
  std::vector<Derivation> found;
  std::priority_queue<Partial> queue;
  std::vector<Suffix> suffixes;
  std::unordered_set<uint64_t> seen;
  int64_t order = 0;
  for (const int32_t id : search.complete()) queue.push({search[id].score, id, -1, order++});
  while (!queue.empty() && found.size() < static_cast<size_t>(n)) {
    const Partial top = queue.top();
    queue.pop();
    const Hypothesis& at = search[top.hypothesis];
    if (at.previous < 0) {
      Derivation derivation = build(table, suffixes, top.rest);
      if (distinct && !seen.insert(hash_target(derivation)).second) continue;
      derivation.score = top.score;
      derivation.features = extract_features(model, derivation.steps);
      found.push_back(std::move(derivation));
      continue;
    }
    const auto step_back = [&](int32_t previous, int32_t option, double lost) {
      suffixes.push_back({option, top.rest});
      queue.push({top.score - lost, previous, static_cast<int32_t>(suffixes.size()) - 1, order++});
    };
    step_back(at.previous, at.option, 0);
    for (int32_t arc = at.next_arc; arc >= 0; arc = search.arc(arc).next_arc) {
      step_back(search.arc(arc).previous, search.arc(arc).option, at.score - search.arc(arc).score);
    }
  }
  return found;
}

DenseVector extract_features(const ModelView& model, const std::vector<Step>& steps) {
  DenseVector features{};
  LmState state = model.lm.begin();
  int last_end = 0;
  const Step* previous = nullptr;
  for (const Step& step : steps) {
    LmState after;
    for (const int32_t word : step.target) {
      features[kLanguageModel] += static_cast<double>(model.lm.score(state, model.lm_word(word), after));
      state = after;
    }
    features[kWordCount] += static_cast<double>(step.target.size());
    features[kBlockCount] += 1;
    features[kDistance] -= std::abs(step.begin - last_end);
    const auto orientation = static_cast<size_t>(step.orientation);
    if (step.block < 0) {
      features[kUnknown] -= 1;
    } else {
      const auto row = static_cast<size_t>(step.block);
      for (size_t i = 0; i < 4; ++i) {
        features[kTranslation + i] += static_cast<double>(model.blocks.scores[4 * row + i]);
      }
      if (model.has_orientation()) {
        features[kReordering + orientation] +=
            static_cast<double>(model.blocks.orientation[6 * row + orientation]);
      }
    }
    if (model.has_orientation() && previous != nullptr && previous->block >= 0) {
      const auto row = static_cast<size_t>(previous->block);
      features[kReordering + 3 + orientation] +=
          static_cast<double>(model.blocks.orientation[6 * row + 3 + orientation]);
    }
    last_end = step.end;
    previous = &step;
  }
  LmState after;
  features[kLanguageModel] += static_cast<double>(model.lm.score(state, kEndWord, after));
  return features;
}

}  // namespace calque
