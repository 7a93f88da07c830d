// What templates may look at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace calque {

// By the names of kSlotNames, in the same order.
enum class Slot : uint8_t {
  kBlock, kSource, kTarget, kSourceLength, kTargetLength, kSourceFirst, kSourceLast, kTargetFirst,
  kTargetLast, kSourceLeft, kSourceRight, kEachSource, kSentenceSource, kEachTarget, kTargetNgram, kPreviousBlock,
  kPreviousSource, kPreviousTarget, kPreviousSourceLast, kTargetPrevious, kTargetPrevious2,
  kOrientation, kBackward, kForward, kJump, kGapFirst, kGapLast, kGapLeft, kGapRight, kGapBefore,
  kGapAfter, kGapLength, kGapOrder,
};
inline constexpr size_t kNumSlots = 33;
inline constexpr std::array<std::string_view, kNumSlots> kSlotNames = {
    "block", "source", "target", "source.length", "target.length", "source.first", "source.last",
    "target.first", "target.last", "source.left", "source.right", "each.source", "sentence.source", "each.target",
    "target.ngram", "previous.block", "previous.source", "previous.target", "previous.source.last",
    "target.previous", "target.previous2", "orientation", "hierarchical.backward",
    "hierarchical.forward", "jump", "gap.first", "gap.last", "gap.left", "gap.right", "gap.before",
    "gap.after", "gap.length", "gap.order"};
static_assert(static_cast<size_t>(Slot::kGapOrder) + 1 == kNumSlots);

// What a slot depends on, as bits; a template needs what its slots need.
enum Needs : uint32_t {
  kNeedsSource = 1, kNeedsTarget = 2, kNeedsNeighbour = 4, kNeedsHistory = 8,
  kNeedsPreviousSource = 16, kNeedsPreviousTarget = 32, kNeedsOrientation = 64, kNeedsJump = 128,
  kNeedsLastWord = 256, kNeedsBackward = 512, kNeedsForward = 1024,
  kNeedsGap = 2048,
};

struct SlotUse {
  Slot slot;
  uint8_t back = 0;  // kTargetNgram: how many words before
  bool operator==(const SlotUse&) const = default;

  uint32_t needs() const;
  // How many target words before the block it looks at.
  size_t history() const;
  // Whether it stands for several words of a block in turn.
  bool is_loop() const;
  bool is_number() const;
  // Whether it looks at a gap of a rule.
  bool is_of_gap() const { return (needs() & kNeedsGap) != 0; }
  // Whether every step of a source span has the same value.
  bool is_of_span() const;
};

// The slot of a name; that of `target.ngram.3` looks 3 words back. Throws Error where none has it.
SlotUse find_slot(std::string_view name);
// What a number changes of the key of a feature whose minor slot it is in.
uint16_t minor_tag(Slot slot, uint64_t value);

}  // namespace calque
