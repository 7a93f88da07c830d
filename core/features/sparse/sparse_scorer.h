// Sums of the weights of the sparse features that fire.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "features/sparse/lookups.h"
#include "features/sparse/sparse_plans.h"
#include "features/sparse/sum_cache.h"
#include "features/templates.h"
#include "flat_map.h"

namespace calque {

// Sums are asked for many at once, so that their lookups share the wait for memory; and what recurs
// is remembered, from sentence to sentence, at two levels:
//
// - what a group of templates of a few words adds, by the texts of these words;
// - where these are new together, what each piece of the group adds: templates that look at classes
//   of the words of one kind, however coarse, by the values they see. Pairs of words are many,
//   pairs of classes are few; so few that one lookup is for all lengths of a phrase that there may
//   be, whose weights lie together.
//
// And for as long as a sentence lasts, what a target word adds together with all source words: most
// words are in many options.
//
// A sum never depends on what is remembered. Not thread-safe: one per thread, all of which share the
// plans. Precondition: the weights do not change.
class SparseScorer {
 public:
  explicit SparseScorer(std::shared_ptr<const SparsePlans> plans) : plans_(std::move(plans)) {}

  // Whether there are weights of templates of a scope.
  bool has(Scope scope) const { return !(*plans_)[scope].empty(); }
  // Whether what templates of a scope give a step depends on where in its sentence it stands.
  bool is_of_place(Scope scope) const { return !(*plans_)[scope].is_of_target_words_alone(); }
  // Whether the templates of a scope look at whole phrases (`StepView::values`).
  bool needs_values(Scope scope) const { return (*plans_)[scope].needs_values; }

  // Forgets what is remembered of the sentence before: to be called for each.
  void begin_sentence();
  // Forgets all questions; then asks for the weights of everything that a scope gives each of some
  // steps. Precondition: the steps are of one source span, and all of them are blocks of the table,
  // or none.
  void begin();
  void ask(Scope scope, const SentenceValues& sentence, std::span<const StepView> steps);
  // The sums asked for, in that order; valid until the next `begin`.
  std::span<const float> answer();
  // A single one.
  float sum(Scope scope, const SentenceValues& sentence, const StepView& step) {
    begin();
    ask(scope, sentence, {&step, 1});
    return answer().front();
  }

 private:
  // Lines of sums of groups and of rows of pieces that are remembered: 16 MB each.
  static constexpr size_t kGroupLines = 1 << 18;
  static constexpr size_t kPieceLines = 1 << 18;
  static_assert(RowCache::kSums == TemplateSet::kNumbers);

  using Piece = SparsePlan::Piece;
  using Remembered = SparsePlan::Remembered;

  // Sums that are new, and get their values last.
  struct New {
    uint64_t key;
    uint32_t place, sum;
  };

  // One call of `ask`: some steps, and a row of questions of theirs for each group asked about.
  struct Ask {
    const SparsePlan* plan;
    size_t n_steps;
    size_t rows;  // where those of its steps begin
    size_t n_groups = 0;

    size_t row(size_t use, size_t step) const {
      const size_t n = plan->n_of_span;
      return rows + (use < n ? use : n + (use - n) * n_steps + step);
    }
  };
  struct Question {
    const Remembered* what;
    uint64_t key;
    uint32_t ask, step;
    uint32_t sum;
  };
  // A sum that nothing remembers.
  struct Unknown {
    const Remembered* what;
    size_t rows;
    uint32_t sum;
    TemplateSet::NumberRow minor;
  };
  struct PieceUse {
    const Piece* piece;
    const Unknown* of;
    uint64_t key;
  };
  // What a piece adds to a sum.
  struct Part {
    uint32_t from, to;
  };

  void bind(const Ask& ask, const SentenceValues& sentence, std::span<const StepView> steps);
  void ask_target_words(size_t group, const Ask& ask, const SentenceValues& sentence,
                        std::span<const StepView> steps);
  void ask_remembered(const Ask& ask, const Remembered& one);
  void find_unknown();
  void open_pieces();
  void look_up_pieces();
  void add_up();
  void keep();

  std::shared_ptr<const SparsePlans> plans_;
  Lookups lookups_;
  std::vector<Ask> asks_;
  std::vector<const uint64_t*> bound_;  // rows of what the steps look at
  std::vector<uint64_t> identities_;    // of these rows
  std::vector<uint32_t> same_;          // of each: the first step of the ask with that row
  std::vector<Question> questions_;
  std::vector<uint32_t> questions_of_;  // each step, those of a group together
  std::vector<const uint64_t*> rows_;   // of sums that nothing remembers
  std::vector<Unknown> unknown_;
  std::vector<PieceUse> pieces_;
  std::vector<Part> parts_;
  std::vector<float> sums_;  // those of the steps come first
  std::vector<New> new_words_, new_classes_;
  KeyMap<uint32_t> target_words_;     // of the sentence: where their sums are
  std::vector<float> word_sums_;
  Lookups word_lookups_;              // of those that are new
  std::vector<Part> word_parts_;      // from sums of words to those of steps
  SumCache words_{kGroupLines};
  RowCache classes_{kPieceLines};
};

}  // namespace calque
