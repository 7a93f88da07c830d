#include "features/slots.h"

#include <algorithm>
#include <string>

#include "error.h"
#include "hash.h"

namespace calque {

uint32_t SlotUse::needs() const {
  switch (slot) {
    case Slot::kBlock: return kNeedsSource | kNeedsTarget;
    case Slot::kSource: case Slot::kSourceLength: case Slot::kSourceFirst: case Slot::kSourceLast:
    case Slot::kEachSource: return kNeedsSource;
    case Slot::kTarget: case Slot::kTargetLength: case Slot::kTargetFirst: case Slot::kTargetLast:
    case Slot::kEachTarget: return kNeedsTarget;
    case Slot::kTargetNgram: return kNeedsTarget | (back > 0 ? kNeedsHistory : 0u);
    case Slot::kSourceLeft: case Slot::kSourceRight: case Slot::kSentenceSource: return kNeedsNeighbour;
    case Slot::kPreviousBlock: return kNeedsPreviousSource | kNeedsPreviousTarget;
    case Slot::kPreviousSource: return kNeedsPreviousSource;
    case Slot::kPreviousTarget: return kNeedsPreviousTarget;
    case Slot::kPreviousSourceLast: return kNeedsLastWord;
    case Slot::kTargetPrevious: case Slot::kTargetPrevious2: return kNeedsHistory;
    case Slot::kOrientation: return kNeedsOrientation;
    case Slot::kBackward: return kNeedsBackward;
    case Slot::kForward: return kNeedsForward;
    case Slot::kJump: return kNeedsJump;
    case Slot::kGapFirst: case Slot::kGapLast: case Slot::kGapLeft: case Slot::kGapRight:
    case Slot::kGapBefore: case Slot::kGapAfter: case Slot::kGapLength: case Slot::kGapOrder:
      return kNeedsGap;
  }
  return 0;
}

size_t SlotUse::history() const {
  if (slot == Slot::kTargetNgram) return back;
  if (slot == Slot::kTargetPrevious) return 1;
  return slot == Slot::kTargetPrevious2 ? 2 : 0;
}

bool SlotUse::is_loop() const {
  return slot == Slot::kEachSource || slot == Slot::kSentenceSource || slot == Slot::kEachTarget || slot == Slot::kTargetNgram;
}

bool SlotUse::is_number() const {
  return slot == Slot::kSourceLength || slot == Slot::kTargetLength || slot == Slot::kOrientation ||
         slot == Slot::kBackward || slot == Slot::kForward || slot == Slot::kJump ||
         slot == Slot::kGapLength || slot == Slot::kGapOrder;
}

bool SlotUse::is_of_span() const {
  return (needs() & ~uint32_t{kNeedsSource | kNeedsNeighbour}) == 0 &&
         slot != Slot::kEachSource && slot != Slot::kSentenceSource;
}

SlotUse find_slot(std::string_view name) {
  const auto found = std::ranges::find(kSlotNames, name);
  if (found != kSlotNames.end()) return {static_cast<Slot>(found - kSlotNames.begin())};
  constexpr std::string_view kNgram = "target.ngram.";
  if (name.starts_with(kNgram) && name.size() == kNgram.size() + 1 && name.back() >= '0' &&
      name.back() <= '7') {
    return {Slot::kTargetNgram, static_cast<uint8_t>(name.back() - '0')};
  }
  throw Error("no slot of a template is called '" + std::string(name) + "'");
}

uint16_t minor_tag(Slot slot, uint64_t value) {
  return static_cast<uint16_t>(mix(hash_bytes(kSlotNames[static_cast<size_t>(slot)]) ^ value));
}

}  // namespace calque
