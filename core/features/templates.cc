#include "features/templates.h"

#include <algorithm>

#include "error.h"

namespace calque {
namespace {

constexpr int kMaxNumber = 4095;  // longer phrases count as so long

constexpr const char* kOrientations = "RLN";
constexpr const char* kHierarchical = "MSD";
constexpr const char* kLetters = "RLNMSD";
constexpr std::string_view kGapPlaceLetters = "FMLA";
static_assert(kGapPlaceLetters.size() == kGapPlaces);

constexpr uint32_t kOfBlock = kNeedsSource | kNeedsTarget | kNeedsNeighbour;

Scope scope_of(const std::string& name, uint32_t needs) {
  const auto any = [needs](uint32_t some) { return (needs & some) != 0; };
  if (any(kNeedsGap)) {
    // A template that fires for no copies asks for a target side, which a rule with gaps has.
    if (any(~uint32_t{kNeedsGap | kNeedsTarget})) {
      throw Error("template '" + name + "': slots of gaps go with each other only");
    }
    return Scope::kGaps;
  }
  if (any(kNeedsForward)) {
    if (any(~(kOfBlock | kNeedsForward))) {
      throw Error("template '" + name + "': hierarchical.forward goes with slots of the block only");
    }
    return Scope::kForward;
  }
  if (any(kNeedsBackward)) {
    return any(~(kOfBlock | kNeedsBackward)) ? Scope::kStep : Scope::kBackward;
  }
  if (any(kNeedsHistory | kNeedsPreviousSource | kNeedsPreviousTarget)) return Scope::kStep;
  if (any(kNeedsJump | kNeedsLastWord)) return any(kNeedsTarget) ? Scope::kStep : Scope::kCube;
  if (any(kNeedsOrientation)) return Scope::kOrientation;
  if (!any(kNeedsNeighbour)) return any(kNeedsTarget) ? Scope::kBlock : Scope::kPhrase;
  return any(kNeedsTarget) ? Scope::kOption : Scope::kSpan;
}

}  // namespace

bool is_of_block(std::span<const SlotUse> slots) {
  return std::ranges::all_of(slots, [](const SlotUse& use) { return (use.needs() & ~kOfBlock) == 0; });
}

size_t n_major(std::span<const SlotUse> slots) {
  return slots.size() > 1 && slots.back().is_number() ? slots.size() - 1 : slots.size();
}

void TemplateGroup::add(const Member& member) {
  members_.push_back(member);
  const auto [place, is_new] =
      places_.try_emplace(std::pair(member.name, member.level), neighbours_.size());
  if (is_new) neighbours_.push_back({member.name, member.level, piece_of(member), false, false});
  Neighbours& neighbours = neighbours_[place->second];
  (member.has_minor ? neighbours.with_minor : neighbours.without_minor) = true;
}

bool TemplateGroup::is_of_target_words() const {
  const auto n_of = [this](Slot slot) { return std::ranges::count(slots, slot, &SlotUse::slot); };
  const auto n_of_sentence = n_of(Slot::kSentenceSource);
  return n_of_sentence > 0 && n_of(Slot::kEachTarget) == 1 &&
         n_of_sentence + 1 == std::ssize(slots) && !minor && !listed && !adjacent;
}

int32_t TemplateGroup::piece_of(const Member& member) {
  for (size_t i = 0; i < slots.size(); ++i) {
    if (member.kind[i] == 0 && !slots[i].is_number()) return -1;
  }
  return pieces_.try_emplace(member.kind, static_cast<int32_t>(pieces_.size())).first->second;
}

void TemplateSet::set_levels(size_t n_source_levels, size_t n_target_levels,
                             std::span<const uint64_t> levels) {
  n_source_levels_ = n_source_levels;
  n_target_levels_ = n_target_levels;
  target_levels_ = levels;
  const size_t n = std::max(n_source_levels, n_target_levels);
  start_.assign(n, hash_bytes("<s>"));
  end_.assign(n, hash_bytes("</s>"));
  unknown_.assign(n, hash_bytes("<unk>"));
  numbers_.clear();
  for (int i = -kMaxJump; i <= kMaxNumber; ++i) numbers_.push_back(hash_bytes(std::to_string(i)));
  for (const char* letter = kLetters; *letter != 0; ++letter) {
    numbers_.push_back(hash_bytes({letter, 1}));
  }
  for (const char of_source : kGapPlaceLetters) {
    for (const char of_target : kGapPlaceLetters) {
      const std::array<char, 2> order{of_source, of_target};
      numbers_.push_back(hash_bytes({order.data(), order.size()}));
    }
  }
  for (size_t slot = 0; slot < kNumSlots; ++slot) {
    if (!SlotUse{static_cast<Slot>(slot)}.is_number()) continue;
    std::vector<uint16_t>& tags = tags_[slot];
    tags.assign(kBeforeNumbers, 0);
    for (const uint64_t number : numbers_) tags.push_back(minor_tag(static_cast<Slot>(slot), number));
    tags.resize((tags.size() / kNumbers + 1) * kNumbers);
  }
  const uint64_t phrase = extend_key(kEmptyPhrase, start_[0]);
  boundary_ = {phrase, phrase, block_value(phrase, phrase)};
}

void TemplateSet::add(const std::string& name, std::vector<SlotUse> slots,
                      std::span<const uint8_t> levels, std::span<const uint8_t> kinds, bool copies,
                      bool listed, bool adjacent) {
  if (slots.empty() || slots.size() > kMaxSlots || slots.size() != levels.size() ||
      slots.size() != kinds.size()) {
    throw Error("template '" + name + "': expected 1 to " + std::to_string(kMaxSlots) + " slots");
  }
  // Whether a word is copied is known of options only.
  uint32_t needs = copies ? 0u : uint32_t{kNeedsTarget};
  if (adjacent) needs |= kNeedsOrientation;
  for (const SlotUse& use : slots) {
    needs |= use.needs();
    n_history_ = std::max(n_history_, use.history());
  }
  if (n_history_ > kMaxHistory) {
    throw Error("template '" + name + "': expected at most " + std::to_string(kMaxHistory) +
                " target words before");
  }
  auto& groups = scopes_[static_cast<size_t>(scope_of(name, needs))];
  std::optional<SlotUse> minor;
  if (n_major(slots) < slots.size()) {
    minor = slots.back();
    slots.pop_back();
  }
  TemplateGroup::Member member{hash_bytes(name), {}, {}, minor.has_value()};
  std::ranges::copy(levels.first(slots.size()), member.level.begin());
  std::ranges::copy(kinds.first(slots.size()), member.kind.begin());
  const auto same = std::ranges::find_if(groups, [&](const TemplateGroup& group) {
    return group.slots == slots && group.copies == copies && group.listed == listed &&
           group.adjacent == adjacent && (group.minor == minor || !group.minor || !minor);
  });
  const bool is_new = same == groups.end();
  TemplateGroup& group = is_new ? groups.emplace_back() : *same;
  if (is_new) {
    group.loops = std::ranges::any_of(slots, &SlotUse::is_loop);
    group.slots = std::move(slots);
    group.copies = copies;
    group.of_gaps = (needs & kNeedsGap) != 0;
    group.listed = listed;
    group.adjacent = adjacent;
  }
  group.needs |= needs;
  if (minor) group.minor = minor;
  group.add(member);
  needs_ |= needs;
  ++n_templates_;
}

const uint64_t* TemplateSet::number(int n) const {
  return numbers_.data() + std::clamp(n, -kMaxJump, kMaxNumber) + kMaxJump;
}

const uint64_t* TemplateSet::letter(const char* letters, int i) const {
  const auto at = std::string_view(kLetters).find(letters[i]);
  return numbers_.data() + kMaxJump + kMaxNumber + 1 + at;
}

const uint64_t* TemplateSet::gap_order(GapPlace of_source, GapPlace of_target) const {
  const size_t first = numbers_.size() - kGapPlaces * kGapPlaces;
  return &numbers_[first + static_cast<size_t>(of_source) * kGapPlaces + static_cast<size_t>(of_target)];
}

bool TemplateSet::is_listed(int64_t previous, int64_t block) const {
  if (previous < 0 || block < 0) return false;
  return std::ranges::binary_search(
      pairs_, static_cast<uint64_t>(previous) << 32 | static_cast<uint64_t>(block));
}

void SentenceValues::begin(const TemplateSet& set, std::span<const uint64_t> levels,
                           std::span<const uint64_t> sentence) {
  set_ = &set;
  levels_ = levels;
  sentence_ = sentence;
  n_ = static_cast<int>(levels.size() / set.n_source_levels());
  copies_.clear();
  for (int i = 0; i < n_; ++i) {
    copies_.insert(copies_.end(), set.unknown_row(), set.unknown_row() + set.n_target_levels());
    copies_[copies_.size() - set.n_target_levels()] = source(i)[0];
  }
}

const uint64_t* SentenceValues::source(int position) const {
  if (position < 0) return set_->start_row();
  if (position >= n_) return set_->end_row();
  return levels_.data() + static_cast<size_t>(position) * set_->n_source_levels();
}

const uint64_t* SentenceValues::target(int32_t word) const {
  if (word >= 0) return set_->target_row(word);
  const int i = -1 - word;
  if (i >= n_) return set_->unknown_row();
  return copies_.data() + static_cast<size_t>(i) * set_->n_target_levels();
}

BlockValues SentenceValues::block(int begin, int end, std::span<const int32_t> words) const {
  BlockValues values{kEmptyPhrase, kEmptyPhrase, 0};
  for (int i = begin; i < end; ++i) values.source = extend_key(values.source, source(i)[0]);
  for (const int32_t word : words) values.target = extend_key(values.target, target(word)[0]);
  values.block = block_value(values.source, values.target);
  return values;
}

const uint64_t* Binder::target_at(int at) const {
  if (at >= 0) return sentence_.target(step_.target[static_cast<size_t>(at)]);
  const auto n = static_cast<int>(step_.history.size());
  if (n + at < 0) return sentence_.set().start_row();
  return sentence_.target(step_.history[static_cast<size_t>(n + at)]);
}

const uint64_t* Binder::row(const SlotUse& use) const {
  const TemplateSet& set = sentence_.set();
  const BlockValues& previous = step_.previous == nullptr ? set.boundary() : *step_.previous;
  switch (use.slot) {
    case Slot::kBlock: return &step_.values.block;
    case Slot::kSource: return &step_.values.source;
    case Slot::kTarget: return &step_.values.target;
    case Slot::kSourceLength: return set.number(step_.end - step_.begin);
    case Slot::kTargetLength: return set.number(static_cast<int>(step_.target.size()));
    case Slot::kSourceFirst: return sentence_.source(step_.begin);
    case Slot::kSourceLast: return sentence_.source(step_.end - 1);
    case Slot::kTargetFirst: return sentence_.target(step_.target.front());
    case Slot::kTargetLast: return sentence_.target(step_.target.back());
    case Slot::kSourceLeft: return sentence_.source(step_.begin - 1);
    case Slot::kSourceRight: return sentence_.source(step_.end);
    case Slot::kTargetNgram: return target_at(ngram_end_ - use.back);
    case Slot::kPreviousBlock: return &previous.block;
    case Slot::kPreviousSource: return &previous.source;
    case Slot::kPreviousTarget: return &previous.target;
    case Slot::kPreviousSourceLast: return sentence_.source(step_.last_end - 1);
    case Slot::kTargetPrevious: return target_at(-1);
    case Slot::kTargetPrevious2: return target_at(-2);
    case Slot::kOrientation: return set.letter(kOrientations, step_.orientation);
    case Slot::kBackward: return set.letter(kHierarchical, step_.backward);
    case Slot::kForward: return set.letter(kHierarchical, step_.forward);
    case Slot::kJump:
      return set.number(std::clamp(step_.begin - step_.last_end, -kMaxJump, kMaxJump));
    case Slot::kGapFirst: return sentence_.in_sentence(gap_->begin);
    case Slot::kGapLast: return sentence_.in_sentence(gap_->end - 1);
    case Slot::kGapLeft: return sentence_.beside_gap(gap_->begin - 1);
    case Slot::kGapRight: return sentence_.beside_gap(gap_->end);
    case Slot::kGapBefore: return gap_->before;
    case Slot::kGapAfter: return gap_->after;
    case Slot::kGapLength: return set.number(gap_->end - gap_->begin);
    case Slot::kGapOrder: return set.gap_order(gap_->of_source, gap_->of_target);
    case Slot::kEachSource: case Slot::kSentenceSource: case Slot::kEachTarget: break;  // bound by their loops
  }
  return nullptr;
}

}  // namespace calque
