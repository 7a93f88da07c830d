// Sentences on many threads: the best derivations under given weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/derivation.h"
#include "decode/leave_one_out.h"
#include "decode/option_collector.h"
#include "decode/search.h"
#include "decode/translation_graph.h"

namespace calque {

struct DecodeOptions {
  SearchOptions search;
  OptionLimits limits;
  int n_best;
  bool distinct;
  const LeaveOneOut* leave_one_out;  // what to leave out for sentences with a pair
};

struct Decoded {
  std::vector<Derivation> derivations;  // best first; at least one, except for a forced search
  int64_t n_generated = 0;
};

// What the user requires of the sentences; empty where there is nothing.
struct Constraints {
  std::vector<Constraint> all;
  std::span<const int64_t> offsets;  // those of sentence i are all[offsets[i] .. offsets[i + 1])

  std::span<const Constraint> sentence(size_t i) const {
    if (all.empty()) return {};
    const auto begin = static_cast<size_t>(offsets[i]);
    return std::span(all).subspan(begin, static_cast<size_t>(offsets[i + 1]) - begin);
  }
};

// Source sentences and, for every word, what stands for it where it is copied.
struct SourceText {
  std::span<const int32_t> ids;
  std::span<const int64_t> offsets;  // sentence i is ids[offsets[i] .. offsets[i + 1])
  std::span<const int32_t> copies;   // a target id, or -1 - i for the text of word i of the sentence
  std::span<const uint64_t> levels;  // what templates see of each word, rows of n_levels
  size_t n_levels;
  std::span<const int64_t> pairs;    // of each sentence in the training corpus; empty: no matter

  size_t size() const { return offsets.size() - 1; }
  SentenceView sentence(size_t i) const {
    return {cut(ids, i), cut(copies, i), cut(levels, i, n_levels), pairs.empty() ? -1 : pairs[i]};
  }

 private:
  template <typename T>
  std::span<const T> cut(std::span<const T> rows, size_t i, size_t width = 1) const {
    const auto begin = static_cast<size_t>(offsets[i]), end = static_cast<size_t>(offsets[i + 1]);
    return rows.subspan(begin * width, (end - begin) * width);
  }
};

// Translates every sentence. Results do not depend on n_threads.
std::vector<Decoded> decode(const ModelView& model, const WeightView& weights,
                            const DecodeOptions& options, const SourceText& source,
                            const Constraints& constraints, int n_threads);

// What the search of one sentence found, whole.
TranslationGraph decode_graph(const ModelView& model, const WeightView& weights,
                              const DecodeOptions& options, const SourceText& source, size_t at);

// Words of references, which are target ids or -1 - i for the text of source word i.
struct ReferenceTexts {
  struct Text {
    std::span<const int32_t> ids;
    std::span<const int64_t> offsets;
  };
  std::vector<Text> all;  // each with a reference for every sentence

  std::vector<std::span<const int32_t>> sentence(size_t i) const;
};

// The derivations of highest sentence BLEU; the score of a derivation is its BLEU. Nothing else cuts
// than the stacks of `search`.
std::vector<Decoded> decode_oracle(const ModelView& model, const DecodeOptions& options,
                                   bool brevity_penalty, const SourceText& source,
                                   const ReferenceTexts& references, int n_threads);

}  // namespace calque
