// Mistakes of the beam search on sentence pairs, and the updates that mend them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/phrase/decoder.h"
#include "decode/phrase/gold_lattice.h"
#include "decode/sparse_features.h"

namespace calque {

// Which two derivations an update compares (Yu et al. 2013, section 4). Bin i holds what covers i
// source words. What should win is the best of the gold lattice there, whatever became of it in the
// beam; what should not is the best in the beam that cannot give the reference.
enum class Selection {
  kMaxViolation,  // in the bin where they are farthest apart; of equal ones the last
  kEarly,         // where the beam lost everything that could give the reference
  kStandard,      // in the last bin, valid or not: against the best of all
  kLocal,         // in the last bin: what is closest to the reference in the beam, against the best
};

struct ViolationOptions {
  SearchOptions search;
  OptionLimits limits;
  Selection selection;
  bool future_in_margin;  // what is still to come counts, as in the ranking of the beam
  bool all_prefixes;  // whatever begins like the reference is good, even if it cannot go on so
  const LeaveOneOut* leave_one_out;
};

// What is to be learned from one lattice.
struct Violation {
  int32_t bin = -1;   // of the update; -1: there is nothing to learn
  double margin = 0;  // the score of what should win minus that of what should not: 0 or less is valid;
                      // with `future_in_margin`, of both the score and what is still to come
  bool is_won = false;          // the best of the beam gives the reference
  std::vector<double> dense;    // features of what should win minus those of what should not
  SparseVector sparse;          // .. where they differ
};

// The violations of the lattices `chosen`. `source` and `references` are of all pairs. Results do not
// depend on n_threads. Oracle: tests/test_tune_violation.py (enumeration and a beam in Python).
std::vector<Violation> find_violations(const ModelView& model, const WeightView& weights,
                                       const ViolationOptions& options, const SourceText& source,
                                       const ReferenceTexts::Text& references,
                                       const GoldView& lattices, std::span<const int64_t> chosen,
                                       int n_threads);

// The sum of the sparse differences by ascending key, without those that cancel. They are small whole
// numbers, so that no order of the additions changes it.
SparseVector sum_sparse(std::span<const Violation> violations, int n_threads);

}  // namespace calque
