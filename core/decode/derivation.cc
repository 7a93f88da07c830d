#include "decode/derivation.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "decode/kbest.h"
#include "error.h"

namespace calque {
namespace {

std::vector<Step> build_steps(const OptionTable& table, std::span<const int32_t> options) {
  std::vector<Step> steps;
  int last_begin = 0, last_end = 0;
  for (const int32_t id : options) {
    const Option& option = table[id];
    const int way = orientation(last_begin, last_end, option.begin, option.end);
    steps.push_back({option.begin, option.end, option.block, option.required, way,
                     {option.target.begin(), option.target.end()}});
    last_begin = option.begin;
    last_end = option.end;
  }
  return steps;
}

// The row of a block of the model, or -1 for a word that no block covers alone and that is copied.
int64_t find_block(const ModelView& model, std::span<const int32_t> source,
                   std::span<const int32_t> copies, const SpanTarget& wanted) {
  const auto begin = static_cast<size_t>(wanted.begin);
  const auto words = source.subspan(begin, static_cast<size_t>(wanted.end) - begin);
  const int64_t phrase = model.blocks.find(words);
  if (phrase < 0 && words.size() == 1 && std::ranges::equal(wanted.target, copies.subspan(begin, 1))) {
    return -1;
  }
  const auto [first, last] = phrase < 0 ? BlockRange{0, 0} : model.blocks.blocks(phrase);
  for (int64_t block = first; block < last; ++block) {
    if (std::ranges::equal(wanted.target, model.blocks.target(block))) return block;
  }
  throw Error("source words " + std::to_string(wanted.begin) + " to " +
              std::to_string(wanted.end - 1) + ": the model has no block with this target");
}

void cover_once(std::vector<bool>& covered, const SpanTarget& block) {
  const bool inside = 0 <= block.begin && block.begin < block.end &&
                      static_cast<size_t>(block.end) <= covered.size();
  if (!inside) throw Error("a block lies outside the sentence");
  const auto first = covered.begin() + block.begin, last = covered.begin() + block.end;
  if (std::find(first, last, true) != last) throw Error("two blocks cover the same source word");
  std::fill(first, last, true);
}

}  // namespace

std::vector<Derivation> best_derivations(const SearchGraph& graph, const OptionTable& table,
                                         const ModelView& model, int n, bool distinct) {
  std::vector<Derivation> found;
  KBest kbest(graph, table, distinct);
  std::vector<int32_t> options;
  double score = 0;
  while (found.size() < static_cast<size_t>(n) && kbest.next(options, score)) {
    Derivation derivation;
    derivation.score = score;
    derivation.steps = build_steps(table, options);
    derivation.features = extract_features(model, derivation.steps);
    found.push_back(std::move(derivation));
  }
  return found;
}

Derivation derivation_to(const SearchGraph& graph, const OptionTable& table, const ModelView& model,
                         int32_t hypothesis, bool ends) {
  std::vector<int32_t> options;
  for (int32_t id = hypothesis; graph[id].previous >= 0; id = graph[id].previous) {
    options.push_back(graph[id].option);
  }
  std::reverse(options.begin(), options.end());
  Derivation derivation;
  derivation.score = graph[hypothesis].score;
  derivation.steps = build_steps(table, options);
  derivation.features = extract_features(model, derivation.steps, ends);
  return derivation;
}

Derivation derive(const ModelView& model, const DenseVector& weights,
                  std::span<const int32_t> source, std::span<const int32_t> copies,
                  std::span<const SpanTarget> blocks) {
  Derivation derivation;
  std::vector<bool> covered(source.size());
  int last_begin = 0, last_end = 0;
  for (const SpanTarget& wanted : blocks) {
    cover_once(covered, wanted);
    derivation.steps.push_back({wanted.begin, wanted.end, find_block(model, source, copies, wanted),
                                false,
                                orientation(last_begin, last_end, wanted.begin, wanted.end),
                                wanted.target});
    last_begin = wanted.begin;
    last_end = wanted.end;
  }
  if (std::ranges::find(covered, false) != covered.end()) {
    throw Error("the blocks leave a source word untranslated");
  }
  derivation.features = extract_features(model, derivation.steps);
  derivation.score = dot(weights, derivation.features);
  return derivation;
}

DenseVector extract_features(const ModelView& model, std::span<const Step> steps, bool ends) {
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
      if (!step.required) features[kUnknown] -= 1;
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
  if (ends) {
    LmState after;
    features[kLanguageModel] += static_cast<double>(model.lm.score(state, kEndWord, after));
  }
  return features;
}

}  // namespace calque
