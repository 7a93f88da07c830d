// What to leave out of a model while its training corpus is decoded, across the border.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "bind/arrays.h"
#include "decode/leave_one_out.h"
#include "decode/source_text.h"

namespace calque::bind {

// The corpus of a block table; keeps the arrays of both alive.
struct BoundTrainingCorpus {
  BoundTrainingCorpus(nb::object corpus_owner, nb::object blocks_owner, const RuleLimits& limits);

  nb::object corpus, blocks;
  TrainingCorpus training;
};

// Pairs of the training corpus to leave out, one per sentence of a text, and how.
struct BoundLeaveOneOut {
  BoundLeaveOneOut(nb::object training_owner, Vector<int64_t> pair_of_each, const std::string& what,
                   std::optional<float> unseen_log_prob, float unseen_log_prob_per_word);

  // Lets the sentences of `source` know their pairs. Throws Error where they misfit.
  const LeaveOneOut* apply(SourceText& source, const ModelView& model) const;

  nb::object training;
  Vector<int64_t> pairs;
  LeaveOneOut how;
};

// Called by register_decode.
void register_leave_one_out(nanobind::module_& m);

}  // namespace calque::bind
