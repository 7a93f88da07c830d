// Sums of the weights of the sparse features that fire.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "features/sparse_table.h"
#include "features/sum_cache.h"
#include "features/templates.h"
#include "flat_map.h"

namespace calque {

// The weights lie in a table far larger than any cache: what costs time is the wait for memory. So
// sums are asked for many at once, and whatever they need is sent for before any of it is used; and
// what recurs is remembered, from sentence to sentence, at two levels:
//
// - what a group of templates of a few words adds, by the texts of these words;
// - where these are new together, what each piece of the group adds: templates that look at classes
//   of the words of one kind, however coarse, by the values they see. Pairs of words are many,
//   pairs of classes are few.
//
// A sum never depends on what is remembered. Not thread-safe: one per thread.
class SparseScorer {
 public:
  SparseScorer(const TemplateSet& set, const SparseTable& weights);

  const TemplateSet& set() const { return *set_; }
  // Whether the templates of a scope look at whole phrases (`StepView::values`).
  bool needs_values(Scope scope) const { return plan(scope).needs_values; }

  // Forgets all questions; then asks for the weights of everything that a scope gives a step.
  void begin();
  void ask(Scope scope, const SentenceValues& sentence, const StepView& step);
  // The sums asked for, in that order; valid until the next `begin`.
  std::span<const float> answer();
  // A single one.
  float sum(Scope scope, const SentenceValues& sentence, const StepView& step) {
    begin();
    ask(scope, sentence, step);
    return answer().front();
  }

  // The same in two parts, for the templates of chosen groups: first the keys of all of them, whose
  // memory is then on its way, later the sum of those between two places.
  void clear_keys() { keys_.clear(); }
  size_t n_keys() const { return keys_.size(); }
  void add_keys(const TemplateGroup& group, const SentenceValues& sentence, const StepView& step) {
    Binder(sentence, step).for_each(group, [&](const Rows& rows) {
      add_keys(group.members, rows, group.slots.size());
    });
  }
  float sum_keys(size_t from, size_t to) const {
    float sum = 0;
    for (size_t i = from; i < to; ++i) sum += weights_->get(keys_[i]);
    return sum;
  }

 private:
  // Sums of groups and of pieces that are remembered, as lines of five: 16 MB and 8 MB.
  static constexpr size_t kGroupLines = 1 << 18;
  static constexpr size_t kPieceLines = 1 << 17;

  struct Piece {
    uint64_t id;
    std::vector<TemplateGroup::Member> members;
    std::vector<std::pair<uint8_t, uint8_t>> sees;  // slots and levels
  };
  // A group that is remembered, together with the one that has the same slots but for the length of
  // the source, if there is one.
  struct Remembered {
    uint64_t id;
    Scope scope;
    const TemplateGroup* group;
    const Remembered* shorter;
    std::vector<Piece> pieces;
    std::vector<TemplateGroup::Member> rare;  // templates that see words themselves
  };
  struct Plan {
    std::vector<const TemplateGroup*> plain;
    std::vector<const Remembered*> remembered;
    bool needs_values = false;
  };

  // Sums that this batch has to do with, those remembered and new ones, which get their values last.
  struct New {
    uint64_t key;
    int32_t sum;
  };
  struct Memory {
    explicit Memory(size_t most_lines) : cache(most_lines) {}
    SumCache cache;
    KeyMap<int32_t> places;  // of new ones in `sums_`
    std::vector<New> added;
  };

  struct Question {
    const Remembered* what;
    Rows rows;
    uint64_t key;
    int32_t sum;
  };
  struct Ask {
    size_t keys_end, questions_end;
  };
  // A sum that nothing remembers: the keys of rare templates, its pieces, and what the shorter group adds.
  struct Unknown {
    const Remembered* what;
    size_t question;  // with its values
    int32_t sum, shorter;
    size_t keys_begin, keys_end, pieces_begin, pieces_end;
  };
  struct PieceUse {
    const Piece* piece;
    size_t unknown;
    uint64_t key;
    int32_t sum;
  };
  struct Lookup {
    int32_t sum;
    size_t keys_begin, keys_end;
  };

  const Plan& plan(Scope scope) const { return plans_[static_cast<size_t>(scope)]; }
  static std::shared_ptr<const std::vector<Remembered>> plan_all(const TemplateSet& set);
  static uint64_t key_of_words(const Remembered& what, const Rows& rows);
  std::pair<int32_t, bool> recall(Memory& memory, uint64_t key);
  void remember(Memory& memory);
  void find_unknown();
  void find_shorter();
  void open_pieces();
  void look_up_pieces();
  void add_up();
  void add_keys(std::span<const TemplateGroup::Member> members, const Rows& rows, size_t n_slots) {
    for (const TemplateGroup::Member& member : members) {
      keys_.push_back(key_of(member, rows, n_slots));
      weights_->prefetch(keys_.back());
    }
  }

  const TemplateSet* set_;
  const SparseTable* weights_;
  std::shared_ptr<const std::vector<Remembered>> all_;  // shared: a copy's pointers stay valid
  std::array<Plan, kNumScopes> plans_;
  std::vector<uint64_t> keys_;
  std::vector<Ask> asks_;
  std::vector<Question> questions_;
  std::vector<Unknown> unknown_;
  std::vector<PieceUse> pieces_;
  std::vector<Lookup> lookups_;
  std::vector<float> answers_;
  std::vector<float> sums_;
  Memory groups_{kGroupLines}, classes_{kPieceLines};
};

}  // namespace calque
