// The templates of which there are weights, arranged for scoring.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "features/sparse/sparse_table.h"
#include "features/templates.h"
#include "features/sparse/template_weights.h"

namespace calque {

// What a group of templates adds is remembered as a whole and in pieces: see SparseScorer.
struct SparsePlan {
  struct Piece {
    uint64_t id;
    std::vector<WeightedTemplate> templates;
    std::vector<std::pair<uint8_t, uint8_t>> sees;  // slots and levels
  };
  // A group that is remembered.
  struct Remembered {
    uint64_t id;
    const TemplateGroup* group;
    size_t n_slots, n_rows;              // without the minor slot, and with it
    std::array<uint8_t, kMaxSlots> use;  // of each row, among those of the plan
    std::vector<uint8_t> varying;        // the rows that steps of one span may differ in
    std::vector<Piece> pieces;
    std::vector<WeightedTemplate> rare;  // those that see words themselves
  };
  std::vector<WeightedGroup> plain;  // not worth remembering
  std::vector<WeightedGroup> of_target_words;  // what each word adds is remembered for a sentence
  std::vector<Remembered> remembered;
  // What the remembered groups look at; first that which steps of one span agree in.
  std::vector<SlotUse> uses;
  size_t n_of_span = 0;
  bool needs_values = false;

  bool is_of_target_words_alone() const { return plain.empty() && remembered.empty(); }
  bool empty() const { return is_of_target_words_alone() && of_target_words.empty(); }
};

// The plans of all scopes: made once per call, in time linear in the number of templates, and shared
// by its threads. How templates divide into pieces is known of the templates alone (TemplateGroup),
// so that weights may change from call to call. Precondition: while a plan is in use they do not.
class SparsePlans {
 public:
  SparsePlans(const TemplateSet& set, const SparseTable& weights);

  const TemplateSet& set() const { return *set_; }
  const SparseTable& weights() const { return *weights_; }
  const SparsePlan& operator[](Scope scope) const { return plans_[static_cast<size_t>(scope)]; }

 private:
  const TemplateSet* set_;
  const SparseTable* weights_;
  std::array<SparsePlan, kNumScopes> plans_;
};

}  // namespace calque
