// Templates of sparse features, compiled: what each looks at, and which keys it gives a step.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blocks/orientation.h"
#include "features/slots.h"
#include "hash.h"

namespace calque {

// A feature is a 64-bit key, made of the hash of its template's name and those of its values. Values
// are hashed as text, so a key depends on no model. Its upper 16 bits are those of the template. The
// last slot of a template, if it is a number, is minor: it enters the lower 16 bits only, so that
// features which differ in it lie next to each other (SparseTable). Which slot it is enters too: a
// template may extend another one, whose name it is then hashed by, by one minor slot.
inline uint64_t extend_key(uint64_t key, uint64_t value) { return mix(key ^ value); }
// The value of each slot enters turned by as many bytes, so that their order counts.
inline uint64_t add_value(uint64_t key, size_t slot, uint64_t value) {
  return key ^ std::rotl(value, static_cast<int>(8 * slot));
}
inline uint64_t finish_key(uint64_t name, uint64_t values) {
  return (name >> 48 << 48) | mix(values) >> 16;
}
inline uint64_t add_minor(uint64_t key, Slot slot, uint64_t value) {
  return key ^ minor_tag(slot, value);
}
// The value of a phrase grows word by word; a block has a source and a target.
inline constexpr uint64_t kEmptyPhrase = 0x6a09e667f3bcc908ULL;
inline uint64_t block_value(uint64_t source, uint64_t target) {
  return extend_key(extend_key(kEmptyPhrase, source), target);
}

// When a template can be scored, the earliest time that its needs allow.
enum class Scope : uint8_t {
  kPhrase,       // once per source phrase, whatever the sentence
  kBlock,        // once per block, whatever the sentence
  kSpan,         // once per source span, with its neighbours
  kOption,       // once per option of a sentence
  // Once per option and orientation: towards the block before, towards the merged blocks before, and
  // towards what follows.
  kOrientation, kBackward, kForward,
  kCube,  // once per pair of source positions and orientation
  kStep,  // when a hypothesis is extended
  kGaps,  // once per gap of a rule at its place
};
inline constexpr size_t kNumScopes = 10;
inline constexpr std::array kScopesOfSearch{Scope::kOrientation, Scope::kBackward, Scope::kForward,
                                            Scope::kCube, Scope::kStep};
inline constexpr size_t kMaxSlots = 8;
inline constexpr int kMaxJump = 8;
inline constexpr size_t kMaxHistory = 7;

// Whether a block and its place in the sentence decide the values of these slots.
bool is_of_block(std::span<const SlotUse> slots);

// Which of a template's slots is minor: the number of slots before it, or all of them.
size_t n_major(std::span<const SlotUse> slots);

// Templates that look at the same slots, each at levels of its own: they share the walk through a
// step, and a cache.
struct TemplateGroup {
  struct Member {
    uint64_t name;                         // hash
    std::array<uint8_t, kMaxSlots> level;  // of each slot
    std::array<uint8_t, kMaxSlots> kind;   // of that level: 0 is a word itself
    bool has_minor;
  };
  // Members that differ in the minor slot only: the weights of both lie together. Those of one piece
  // look at classes of one kind, slot by slot; below 0: at words themselves.
  struct Neighbours {
    uint64_t name;
    std::array<uint8_t, kMaxSlots> level;
    int32_t piece;
    bool with_minor, without_minor;
  };
  std::vector<SlotUse> slots;    // but for the minor one
  std::optional<SlotUse> minor;  // of the members that have one
  bool copies = true;   // fires where a word is copied or a target is required
  bool listed = false;  // fires for listed pairs of blocks only
  bool adjacent = false;  // fires where the block touches the one before: on its right or left
  bool loops = false;   // fires for several words of a block
  bool of_gaps = false;  // fires for every gap
  uint32_t needs = 0;

  void add(const Member& member);
  std::span<const Member> members() const { return members_; }
  std::span<const Neighbours> neighbours() const { return neighbours_; }
  size_t n_pieces() const { return pieces_.size(); }
  // Whether each target word adds to a step by itself, together with words of the whole sentence: the
  // same wherever in it the step is. All such groups have the scope of an option.
  bool is_of_target_words() const;
  // The slot of a row (Rows): the minor one is the last.
  const SlotUse& slot(size_t row) const { return row < slots.size() ? slots[row] : *minor; }

 private:
  using Numbers = std::array<uint8_t, kMaxSlots>;  // of slots

  int32_t piece_of(const Member& member);

  std::vector<Member> members_;
  std::vector<Neighbours> neighbours_;
  std::map<std::pair<uint64_t, Numbers>, size_t> places_;  // of neighbours by name and levels
  std::map<Numbers, int32_t> pieces_;                      // by kinds
};

// A phrase pair by the hashes of its text.
struct BlockValues {
  uint64_t source, target, block;
};

// Where a gap of a rule stands: on either side of the rule, first, between others, last or alone.
enum class GapPlace : uint8_t { kFirst, kBetween, kLast, kAlone };
inline constexpr size_t kGapPlaces = 4;
inline GapPlace gap_place(bool is_first, bool is_last) {
  if (is_first) return is_last ? GapPlace::kAlone : GapPlace::kFirst;
  return is_last ? GapPlace::kLast : GapPlace::kBetween;
}

// A gap of a rule: the source words that fill it, and the rows of the target words of the rule beside
// it, or of the boundaries of a sentence.
struct GapView {
  int begin, end;
  GapPlace of_source, of_target;
  const uint64_t *before, *after;
};

// Everything that a template may look at in one step of a derivation.
struct StepView {
  int begin = 0, end = 0;
  int64_t row = -1;  // of the block table
  std::span<const int32_t> target;
  BlockValues values{};
  // Where a scope needs them:
  int orientation = 0, backward = 0, forward = 0;
  int last_end = 0;                        // of the block before; 0: this is the first
  const BlockValues* previous = nullptr;   // null: this is the first block
  int64_t previous_row = -1;
  std::span<const int32_t> history;        // target words before, the last one last; may be short
  std::span<const GapView> gaps;
};

class SentenceValues;

// Immutable once compiled. Oracle: tests/test_features_families.py (slow references).
class TemplateSet {
 public:
  // Rows of `levels` hold the hashes of a target word at each level, the word itself first.
  void set_levels(size_t n_source_levels, size_t n_target_levels, std::span<const uint64_t> levels);
  // Pairs of block rows (previous, current) that listed templates fire for, sorted.
  void set_pairs(std::vector<uint64_t> pairs) { pairs_ = std::move(pairs); }
  // Throws Error where no step can give what the slots ask for together.
  void add(const std::string& name, std::vector<SlotUse> slots, std::span<const uint8_t> levels,
           std::span<const uint8_t> kinds, bool copies, bool listed, bool adjacent);

  std::span<const TemplateGroup> groups(Scope scope) const {
    return scopes_[static_cast<size_t>(scope)];
  }
  bool has(Scope scope) const { return !groups(scope).empty(); }
  bool empty() const { return n_templates_ == 0; }
  size_t n_source_levels() const { return n_source_levels_; }
  size_t n_target_levels() const { return n_target_levels_; }
  size_t n_target_words() const { return target_levels_.size() / n_target_levels_; }
  // The target words before a block that templates look at.
  size_t n_history() const { return n_history_; }
  bool needs(uint32_t needs) const { return (needs_ & needs) != 0; }

  // The values of a target word at every level; of a boundary of the sentence, or of a text that is
  // in no vocabulary.
  const uint64_t* target_row(int32_t word) const {
    return target_levels_.data() + static_cast<size_t>(word) * n_target_levels_;
  }
  const uint64_t* start_row() const { return start_.data(); }
  const uint64_t* end_row() const { return end_.data(); }
  const uint64_t* unknown_row() const { return unknown_.data(); }
  const uint64_t* number(int n) const;
  const uint64_t* letter(const char* letters, int i) const;
  const uint64_t* gap_order(GapPlace of_source, GapPlace of_target) const;
  // A number or letter as one of a row of them, with what each changes of a key whose minor slot it
  // is. The lengths of most phrases are one row.
  static constexpr size_t kNumbers = 6;
  struct NumberRow {
    size_t row, at;
    std::span<const uint16_t> tags;
  };
  NumberRow number_row(Slot slot, const uint64_t* number) const {
    const size_t row = tag_at(number) / kNumbers;
    return {row, tag_at(number) % kNumbers, tags(slot).subspan(row * kNumbers, kNumbers)};
  }
  std::span<const uint16_t> tag(Slot slot, const uint64_t* number) const {
    return tags(slot).subspan(tag_at(number), 1);
  }
  bool is_listed(int64_t previous, int64_t block) const;
  const BlockValues& boundary() const { return boundary_; }

 private:
  // So that 1 begins a row.
  static constexpr size_t kBeforeNumbers = kNumbers - (kMaxJump + 1) % kNumbers;
  size_t tag_at(const uint64_t* number) const {
    return static_cast<size_t>(number - numbers_.data()) + kBeforeNumbers;
  }
  std::span<const uint16_t> tags(Slot slot) const { return tags_[static_cast<size_t>(slot)]; }

  std::array<std::vector<TemplateGroup>, kNumScopes> scopes_;
  size_t n_templates_ = 0, n_history_ = 0;
  uint32_t needs_ = 0;
  size_t n_source_levels_ = 1, n_target_levels_ = 1;
  std::span<const uint64_t> target_levels_;
  std::vector<uint64_t> start_, end_, unknown_, numbers_;
  std::array<std::vector<uint16_t>, kNumSlots> tags_;  // of the numbers of each slot; whole rows
  BlockValues boundary_{};
  std::vector<uint64_t> pairs_;
};

// The values of the words of one source sentence.
class SentenceValues {
 public:
  // `levels` holds a row per word, of the whole sentence even where only a prefix is translated.
  void begin(const TemplateSet& set, std::span<const uint64_t> levels) { begin(set, levels, levels); }
  // Some words of a sentence stand for a block and its neighbours; `sentence` has the rows of all.
  void begin(const TemplateSet& set, std::span<const uint64_t> levels,
             std::span<const uint64_t> sentence);

  const uint64_t* source(int position) const;  // beyond the ends: the boundaries
  int n_in_sentence() const { return static_cast<int>(sentence_.size() / set_->n_source_levels()); }
  const uint64_t* in_sentence(int position) const {
    return sentence_.data() + static_cast<size_t>(position) * set_->n_source_levels();
  }
  const uint64_t* beside_gap(int position) const {  // beyond the ends: the boundaries
    if (position < 0) return set_->start_row();
    return position < n_in_sentence() ? in_sentence(position) : set_->end_row();
  }
  const uint64_t* target(int32_t word) const;  // below 0: the text of a source word
  // Equal for rows of equal values. A copied word has no class, even where its text has one.
  uint64_t identity(const uint64_t* row) const {
    const std::less<> before;
    const bool is_copy =
        !before(row, copies_.data()) && before(row, copies_.data() + copies_.size());
    return is_copy ? mix(*row) : *row;
  }
  BlockValues block(int begin, int end, std::span<const int32_t> target) const;
  const TemplateSet& set() const { return *set_; }

 private:
  const TemplateSet* set_ = nullptr;
  std::span<const uint64_t> levels_, sentence_;
  int n_ = 0;
  std::vector<uint64_t> copies_;  // a row per source word, as a target word
};

// One choice of values: where the levels of each slot's value lie, that of the minor slot last.
using Rows = std::array<const uint64_t*, kMaxSlots>;

// The key of a template, which has a name and levels, without the minor slot.
template <typename Template>
uint64_t major_key(const Template& one, const uint64_t* const* rows, size_t n_slots) {
  uint64_t values = one.name;
  for (size_t i = 0; i < n_slots; ++i) values = add_value(values, i, rows[i][one.level[i]]);
  return finish_key(one.name, values);
}
inline uint64_t key_of(const TemplateGroup& group, const TemplateGroup::Member& member,
                       const Rows& rows) {
  const uint64_t key = major_key(member, rows.data(), group.slots.size());
  return member.has_minor ? add_minor(key, group.minor->slot, *rows[group.slots.size()]) : key;
}

// Binds the slots of groups to a step.
class Binder {
 public:
  Binder(const SentenceValues& sentence, const StepView& step) : sentence_(sentence), step_(step) {}

  // Calls visit(rows) for every choice of values that the group has in this step.
  template <typename Visit>
  void for_each(const TemplateGroup& group, Visit visit) {
    const bool is_block = step_.row >= 0;
    if (!is_block && !group.copies) return;
    if (group.adjacent && step_.orientation == kDiscontinuous) return;
    if (group.listed && !sentence_.set().is_listed(step_.previous_row, step_.row)) return;
    if (group.of_gaps) {
      for (const GapView& gap : step_.gaps) {
        gap_ = &gap;
        visit(rows_of(group));
      }
      return;
    }
    if (!group.loops) return visit(rows_of(group));
    Rows rows;
    if (group.minor) rows[group.slots.size()] = row(*group.minor);
    bool has_ngram = false;
    for (const SlotUse& use : group.slots) has_ngram |= use.slot == Slot::kTargetNgram;
    if (!has_ngram) return bind(group, 0, -1, -1, rows, visit);
    for (ngram_end_ = 0; ngram_end_ < static_cast<int>(step_.target.size()); ++ngram_end_) {
      bind(group, 0, -1, -1, rows, visit);
    }
  }

  // Where the values of a slot without a loop lie.
  const uint64_t* row(const SlotUse& use) const;

 private:
  // Of a group without loops.
  Rows rows_of(const TemplateGroup& group) const {
    Rows rows;
    if (group.minor) rows[group.slots.size()] = row(*group.minor);
    for (size_t i = 0; i < group.slots.size(); ++i) rows[i] = row(group.slots[i]);
    return rows;
  }
  // Slots from `at` on. Of two loops over one side the second begins behind the first.
  template <typename Visit>
  void bind(const TemplateGroup& group, size_t at, int source, int target, Rows& rows,
            Visit& visit) {
    if (at == group.slots.size()) return visit(rows);
    const Slot slot = group.slots[at].slot;
    if (slot == Slot::kEachSource) {
      for (int i = source + 1; i < step_.end - step_.begin; ++i) {
        rows[at] = sentence_.source(step_.begin + i);
        bind(group, at + 1, i, target, rows, visit);
      }
    } else if (slot == Slot::kSentenceSource) {
      for (int i = 0; i < sentence_.n_in_sentence(); ++i) {
        rows[at] = sentence_.in_sentence(i);
        bind(group, at + 1, source, target, rows, visit);
      }
    } else if (slot == Slot::kEachTarget) {
      for (int i = target + 1; i < static_cast<int>(step_.target.size()); ++i) {
        rows[at] = sentence_.target(step_.target[static_cast<size_t>(i)]);
        bind(group, at + 1, source, i, rows, visit);
      }
    } else {
      rows[at] = row(group.slots[at]);
      bind(group, at + 1, source, target, rows, visit);
    }
  }
  // The target word `back` words before position `at` of the block.
  const uint64_t* target_at(int at) const;

  const SentenceValues& sentence_;
  const StepView& step_;
  int ngram_end_ = 0;
  const GapView* gap_ = nullptr;
};

}  // namespace calque
