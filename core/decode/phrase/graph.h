// What a search leaves behind: hypotheses, and every way to each of them.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/phrase/coverage.h"
#include "decode/phrase/step_orientation.h"
#include "flat_map.h"

namespace calque {

// A partial translation. Of those that no continuation can tell apart only the best is extended;
// the steps that led to the others are its arcs.
struct Hypothesis {
  double score;
  uint64_t words;    // hash of the target words so far
  float future;      // estimate of what is still to come
  int32_t previous;  // -1 at the start
  int32_t option;    // -1 at the start
  int32_t place;     // coverage and span of the last block
  int32_t target;    // state of the target side
  int32_t next_arc;  // other ways to the same state; -1: none

  double total() const { return score + static_cast<double>(future); }
};

struct Arc {
  double score;  // of the partial translation that ends with this step
  int32_t previous;
  int32_t option;
  int32_t next_arc;
};

// From a hypothesis to an option.
struct GraphStep {
  int32_t previous, option;
};

// The part of a state that decides where a hypothesis may go on.
struct Place {
  int32_t coverage;
  int32_t last_begin, last_end;
  int32_t merged = 0;  // the stack of merged blocks, where features ask for it
  bool operator==(const Place&) const = default;
  uint64_t hash() const {
    return mix(mix(static_cast<uint64_t>(coverage) << 32 | static_cast<uint32_t>(last_begin)) ^
               (static_cast<uint64_t>(merged) << 32 | static_cast<uint32_t>(last_end)));
  }
};

struct SearchGraph {
  std::vector<Hypothesis> hypotheses;  // a hypothesis comes after those it extends
  std::vector<Arc> arcs;
  std::vector<int32_t> complete;  // best first; their scores include the end of the sentence
  Interner<Coverage> coverages;
  Interner<Place> places;
  int64_t n_generated = 0;  // steps tried: the cost of the search, whatever the threads
  bool truncated = false;   // the search gave up at its limit of memory
  Start start = Start::kBoundary;
  // Of a hypothesis and the first option of a span, where steps are normalised: see Search.
  KeyMap<float> log_sums;

  const Hypothesis& operator[](int32_t id) const { return hypotheses[static_cast<size_t>(id)]; }
  const Arc& arc(int32_t id) const { return arcs[static_cast<size_t>(id)]; }
  const Coverage& coverage(const Hypothesis& hypothesis) const {
    return coverages[places[hypothesis.place].coverage];
  }

  static uint64_t row_key(int32_t hypothesis, int32_t first_option) {
    return static_cast<uint64_t>(hypothesis) << 32 | static_cast<uint32_t>(first_option);
  }
  // What a step from a hypothesis into a span is normalised by; 0: it is not.
  float log_sum(int32_t hypothesis, int32_t first_option) const {
    const float* known = log_sums.find(row_key(hypothesis, first_option));
    return known == nullptr ? 0 : *known;
  }

  // Calls visit(score, previous, option) for every way to a hypothesis, the best one first.
  template <typename Visit>
  void for_each_way(const Hypothesis& hypothesis, Visit visit) const {
    if (hypothesis.previous < 0) return;
    visit(hypothesis.score, hypothesis.previous, hypothesis.option);
    for (int32_t id = hypothesis.next_arc; id >= 0; id = arc(id).next_arc) {
      visit(arc(id).score, arc(id).previous, arc(id).option);
    }
  }

  void clear(Start from) {
    start = from;
    hypotheses.clear();
    arcs.clear();
    complete.clear();
    coverages.clear();
    places.clear();
    log_sums.clear();
    n_generated = 0;
    truncated = false;
  }
};

}  // namespace calque
