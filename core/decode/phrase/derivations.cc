#include "decode/phrase/derivations.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "decode/phrase/extract.h"
#include "decode/phrase/kbest.h"
#include "error.h"

namespace calque {
namespace {

std::vector<Step> build_steps(const SearchGraph& graph, const OptionTable& table,
                              std::span<const GraphStep> path) {
  std::vector<Step> steps;
  int last_begin = 0, last_end = 0;
  for (const auto [previous, id] : path) {
    const Option& option = table[id];
    const int way = step_orientation(graph.start, last_begin, last_end, option.begin, option.end);
    const int32_t first = table.id(table.span(option.begin, option.end).front());
    steps.push_back({option.begin, option.end, option.block, option.required, option.change, way,
                     graph.log_sum(previous, first), {option.target.begin(), option.target.end()}});
    last_begin = option.begin;
    last_end = option.end;
  }
  return steps;
}

// The row of a block of the model, or -1 for a word that no block covers alone and that is copied.
int64_t find_block(const ModelView& model, const SentenceView& sentence, const SpanTarget& wanted) {
  const auto begin = static_cast<size_t>(wanted.begin);
  const auto words = sentence.words.subspan(begin, static_cast<size_t>(wanted.end) - begin);
  const int64_t phrase = model.blocks.find(words);
  if (phrase < 0 && words.size() == 1 &&
      std::ranges::equal(wanted.target, sentence.copies.subspan(begin, 1))) {
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
  std::vector<GraphStep> path;
  double score = 0;
  while (found.size() < static_cast<size_t>(n) && kbest.next(path, score)) {
    Derivation derivation;
    derivation.score = score;
    derivation.steps = build_steps(graph, table, path);
    derivation.features = extract_features(model, table.sentence(), derivation.steps);
    found.push_back(std::move(derivation));
  }
  return found;
}

Derivation derivation_to(const SearchGraph& graph, const OptionTable& table, const ModelView& model,
                         int32_t hypothesis, bool ends) {
  std::vector<GraphStep> path;
  for (int32_t id = hypothesis; graph[id].previous >= 0; id = graph[id].previous) {
    path.push_back({graph[id].previous, graph[id].option});
  }
  std::reverse(path.begin(), path.end());
  Derivation derivation;
  derivation.score = graph[hypothesis].score;
  derivation.steps = build_steps(graph, table, path);
  derivation.features = extract_features(model, table.sentence(), derivation.steps, ends);
  return derivation;
}

Derivation derive(const ModelView& model, const WeightView& weights, const SentenceView& sentence,
                  std::span<const SpanTarget> blocks, Start start) {
  Derivation derivation;
  std::vector<bool> covered(sentence.words.size());
  int last_begin = 0, last_end = 0;
  for (const SpanTarget& wanted : blocks) {
    cover_once(covered, wanted);
    const int way = step_orientation(start, last_begin, last_end, wanted.begin, wanted.end);
    derivation.steps.push_back({wanted.begin, wanted.end, find_block(model, sentence, wanted), false,
                                {}, way, 0, wanted.target});
    last_begin = wanted.begin;
    last_end = wanted.end;
  }
  if (std::ranges::find(covered, false) != covered.end()) {
    throw Error("the blocks leave a source word untranslated");
  }
  derivation.features = extract_features(model, sentence, derivation.steps);
  derivation.score = std::inner_product(weights.dense.begin(), weights.dense.end(),
                                        derivation.features.begin(), 0.0);
  if (weights.sparse != nullptr) {
    const SparseVector fired = extract_sparse(model, sentence, derivation.steps);
    const SparseTable& table = weights.sparse->weights();
    for (size_t i = 0; i < fired.keys.size(); ++i) {
      derivation.score += static_cast<double>(table.get(fired.keys[i]) * fired.counts[i]);
    }
  }
  return derivation;
}

}  // namespace calque
