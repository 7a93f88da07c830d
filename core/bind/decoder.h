// A loaded model and source sentences as Python holds them.
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "bind/blocks.h"
#include "bind/feature_set.h"
#include "bind/language_model.h"
#include "bind/leave_one_out.h"
#include "checks.h"
#include "decode/decoded_lists.h"
#include "decode/phrase/decoder.h"
#include "error.h"

namespace calque::bind {

// Source sentences; keeps the arrays alive that the view points into.
struct BoundSource {
  BoundSource(Vector<int32_t> ids, Vector<int64_t> offsets, Vector<int32_t> copies,
              Matrix<uint64_t> levels)
      : ids(ids), offsets(offsets), copies(copies), levels(levels) {
    if (copies.size() != ids.size()) throw Error("one copy per source word is expected");
    if (levels.shape(0) != ids.size()) throw Error("a row of levels per source word is expected");
    check_offsets(view(offsets), ids.size(), "source words");
    check_ids(view(ids), "source words");
  }

  Vector<int32_t> ids;
  Vector<int64_t> offsets;
  Vector<int32_t> copies;
  Matrix<uint64_t> levels;
};

// A loaded model; keeps the arrays alive that the view points into.
struct BoundDecoder {
  BoundDecoder(nb::object blocks_owner, nb::object lm_owner, Vector<int32_t> lm_words,
               nb::object features_owner)
      : blocks(blocks_owner), lm(lm_owner), words(lm_words), features(features_owner),
        model{nb::cast<const BoundBlockTable&>(blocks_owner).table,
              {nb::cast<const BoundLanguageModel&>(lm_owner).view(), view(words)},
              &nb::cast<const BoundFeatureSet&>(features_owner).set} {
    check_ids(model.lm.words, model.lm.lm.n_words(), "language-model ids of target words");
    check_ids(model.blocks.target_words, "target words of the blocks");
    check_features();
  }

  // Tables of the features have a row per block, classes an entry per target word.
  void check_features() const {
    const auto n_blocks = static_cast<size_t>(model.blocks.n_blocks());
    const auto check = [&](const auto& columns) {
      for (const auto& column : columns) {
        if (column.values.size() == n_blocks * column.width) continue;
        throw Error(model.dense().names[column.index] + ": one row per block is expected");
      }
    };
    check(model.dense().block_columns);
    check(model.dense().orientation_columns);
    check(model.dense().merged_columns);
    const size_t n_counts = model.events().counts.size();
    if (n_counts != 0) check_size(n_counts, n_blocks * kSides, "counts of events");
    if (is_outside(model.blocks.target_words)) {
      throw Error("a block has a target word that the language models or the templates lack");
    }
  }

  // Whether one of them is neither a target word nor, below 0, a text.
  bool is_outside(std::span<const int32_t> targets) const {
    return std::ranges::any_of(targets, [&](int32_t id) { return model.is_outside(id); });
  }

  nb::object blocks, lm;
  Vector<int32_t> words;
  nb::object features;
  ModelView model;
};

// What is to be left out for the sentences of a text, or null; they know their pairs then.
const LeaveOneOut* leave_out(SourceText& source, const BoundDecoder& decoder,
                             const BoundLeaveOneOut* given);

WeightView to_weights(const BoundDecoder& decoder, const BoundWeights& weights);

SourceText to_source(const BoundDecoder& decoder, const BoundSource& source);

// Refuses limits that count events of blocks where the model has no such counts.
void check_events(const BoundDecoder& decoder, const SearchOptions& search,
                  const OptionLimits& limits = {});

void check_references(const SourceText& source, const Vector<int32_t>& references,
                      const Vector<int64_t>& offsets);

// Texts of references, each as ids and offsets.
using BoundReferences = std::vector<std::pair<Vector<int32_t>, Vector<int64_t>>>;
ReferenceTexts to_references(const SourceText& source, const BoundReferences& references);

// A text of one sentence.
SourceText to_sentence(const BoundDecoder& decoder, const BoundSource& source);

// `spans` holds begin and end of every constraint of every sentence.
Constraints to_constraints(const BoundDecoder& decoder, const SourceText& source,
                           const Vector<int64_t>& offsets, const Vector<int32_t>& spans,
                           const Vector<int64_t>& target_offsets, const Vector<int32_t>& targets);

inline auto to_arrays(SparseRows&& rows) {
  return std::tuple(to_numpy(std::move(rows.offsets)), to_numpy(std::move(rows.all.keys)),
                    to_numpy(std::move(rows.all.counts)));
}

// Called by register_decode.
void register_chart(nb::module_& m);
void register_gold(nb::class_<BoundDecoder>& decoder, nb::module_& m);

}  // namespace calque::bind
