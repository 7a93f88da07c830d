#include "features/sparse_scorer.h"

#include <algorithm>

namespace calque {
namespace {

constexpr size_t kFewMembers = 4;  // not worth remembering

bool is_phrase(const SlotUse& use) {
  return use.slot == Slot::kBlock || use.slot == Slot::kSource || use.slot == Slot::kTarget;
}

// Whether the texts of a group's words, which are few, decide what it adds.
bool is_remembered(const TemplateGroup& group) {
  return !group.has_loop() && !group.listed && group.members.size() >= kFewMembers &&
         std::ranges::none_of(group.slots, is_phrase);
}

// Whether a template looks at a word as it is, not at a class of it only.
bool sees_words(const TemplateGroup& group, const TemplateGroup::Member& member) {
  for (size_t i = 0; i < group.slots.size(); ++i) {
    const Slot slot = group.slots[i].slot;
    const bool is_number = slot == Slot::kSourceLength || slot == Slot::kTargetLength ||
                           slot == Slot::kOrientation || slot == Slot::kJump;
    if (member.kind[i] == 0 && !is_number) return true;
  }
  return false;
}

bool is_longer(const TemplateGroup& group, const TemplateGroup& shorter) {
  return group.copies == shorter.copies && group.slots.size() == shorter.slots.size() + 1 &&
         group.slots.back().slot == Slot::kSourceLength &&
         std::equal(shorter.slots.begin(), shorter.slots.end(), group.slots.begin());
}

}  // namespace

SparseScorer::SparseScorer(const TemplateSet& set, const SparseTable& weights)
    : set_(&set), weights_(&weights), all_(plan_all(set)) {
  for (size_t scope = 0; scope < kNumScopes; ++scope) {
    Plan& plan = plans_[scope];
    for (const TemplateGroup& group : set.groups(static_cast<Scope>(scope))) {
      plan.needs_values |= std::ranges::any_of(group.slots, is_phrase);
      if (!is_remembered(group)) plan.plain.push_back(&group);
    }
    // Each with its shorter one; a shorter one is not asked for by itself.
    const auto mine = [&](const Remembered& one) { return one.scope == static_cast<Scope>(scope); };
    for (const Remembered& one : *all_) {
      const auto is_of_longer = [&](const Remembered& other) { return other.shorter == &one; };
      if (mine(one) && std::ranges::none_of(*all_, is_of_longer)) plan.remembered.push_back(&one);
    }
  }
}

std::shared_ptr<const std::vector<SparseScorer::Remembered>> SparseScorer::plan_all(
    const TemplateSet& set) {
  auto all = std::make_shared<std::vector<Remembered>>();
  uint64_t n_ids = 0;
  for (size_t scope = 0; scope < kNumScopes; ++scope) {
    for (const TemplateGroup& group : set.groups(static_cast<Scope>(scope))) {
      if (!is_remembered(group)) continue;
      Remembered one{mix(++n_ids), static_cast<Scope>(scope), &group, nullptr, {}, {}};
      for (const TemplateGroup::Member& member : group.members) {
        if (sees_words(group, member)) {
          one.rare.push_back(member);
          continue;
        }
        const auto is_same = [&](const Piece& piece) {
          return piece.members.front().kind == member.kind;
        };
        auto piece = std::ranges::find_if(one.pieces, is_same);
        if (piece == one.pieces.end()) piece = one.pieces.insert(piece, {mix(++n_ids), {}, {}});
        piece->members.push_back(member);
        for (size_t i = 0; i < group.slots.size(); ++i) {
          const std::pair seen{static_cast<uint8_t>(i), member.level[i]};
          if (std::ranges::find(piece->sees, seen) == piece->sees.end()) piece->sees.push_back(seen);
        }
      }
      all->push_back(std::move(one));
    }
  }
  for (Remembered& one : *all) {
    for (const Remembered& other : *all) {
      if (one.scope == other.scope && is_longer(*one.group, *other.group)) one.shorter = &other;
    }
  }
  return all;
}

void SparseScorer::begin() {
  keys_.clear();
  asks_.clear();
  questions_.clear();
  sums_.clear();
}

void SparseScorer::ask(Scope scope, const SentenceValues& sentence, const StepView& step) {
  for (const TemplateGroup* group : plan(scope).plain) add_keys(*group, sentence, step);
  Binder binder(sentence, step);
  for (const Remembered* one : plan(scope).remembered) {
    binder.for_each(*one->group, [&](const Rows& rows) {
      questions_.push_back({one, rows, key_of_words(*one, rows), 0});
      groups_.cache.prefetch(questions_.back().key);
    });
  }
  asks_.push_back({keys_.size(), questions_.size()});
}

std::span<const float> SparseScorer::answer() {
  find_unknown();
  find_shorter();
  open_pieces();
  look_up_pieces();
  add_up();
  remember(groups_);
  remember(classes_);
  answers_.clear();
  size_t key = 0, question = 0;
  for (const Ask& ask : asks_) {
    float sum = sum_keys(key, ask.keys_end);
    key = ask.keys_end;
    for (; question < ask.questions_end; ++question) {
      sum += sums_[static_cast<size_t>(questions_[question].sum)];
    }
    answers_.push_back(sum);
  }
  return answers_;
}

// All levels of a word follow from its text, which is the first.
uint64_t SparseScorer::key_of_words(const Remembered& what, const Rows& rows) {
  uint64_t key = what.id;
  for (size_t i = 0; i < what.group->slots.size(); ++i) key = extend_key(key, rows[i][0]);
  return key;
}

// The place of a sum, and whether it is new, which the caller then fills.
std::pair<int32_t, bool> SparseScorer::recall(Memory& memory, uint64_t key) {
  const auto place = static_cast<int32_t>(sums_.size());
  if (const float* known = memory.cache.find(key)) {
    sums_.push_back(*known);
    return {place, false};
  }
  if (const int32_t* added = memory.places.find(key)) return {*added, false};
  sums_.push_back(0);
  memory.places.insert(key, place);
  memory.added.push_back({key, place});
  return {place, true};
}

void SparseScorer::remember(Memory& memory) {
  for (const New& one : memory.added) {
    memory.cache.insert(one.key, sums_[static_cast<size_t>(one.sum)]);
  }
  memory.added.clear();
  memory.places.clear();
}

void SparseScorer::find_unknown() {
  unknown_.clear();
  for (size_t i = 0; i < questions_.size(); ++i) {
    Question& question = questions_[i];
    const auto [sum, is_new] = recall(groups_, question.key);
    question.sum = sum;
    if (!is_new) continue;
    unknown_.push_back({question.what, i, sum, -1, 0, 0, 0, 0});
    if (const Remembered* shorter = question.what->shorter) {
      groups_.cache.prefetch(key_of_words(*shorter, question.rows));
    }
  }
}

// Shorter groups that are unknown, too, go to the end of the list.
void SparseScorer::find_shorter() {
  for (size_t i = 0, n = unknown_.size(); i < n; ++i) {
    const Remembered* shorter = unknown_[i].what->shorter;
    if (shorter == nullptr) continue;
    const size_t question = unknown_[i].question;
    const auto [sum, is_new] = recall(groups_, key_of_words(*shorter, questions_[question].rows));
    unknown_[i].shorter = sum;
    if (is_new) unknown_.push_back({shorter, question, sum, -1, 0, 0, 0, 0});
  }
}

void SparseScorer::open_pieces() {
  pieces_.clear();
  for (size_t i = 0; i < unknown_.size(); ++i) {
    Unknown& one = unknown_[i];
    const Rows& rows = questions_[one.question].rows;
    one.keys_begin = keys_.size();
    add_keys(one.what->rare, rows, one.what->group->slots.size());
    one.keys_end = keys_.size();
    one.pieces_begin = pieces_.size();
    for (const Piece& piece : one.what->pieces) {
      uint64_t key = piece.id;
      for (const auto& [slot, level] : piece.sees) key = extend_key(key, rows[slot][level]);
      classes_.cache.prefetch(key);
      pieces_.push_back({&piece, i, key, 0});
    }
    one.pieces_end = pieces_.size();
  }
}

void SparseScorer::look_up_pieces() {
  lookups_.clear();
  for (PieceUse& use : pieces_) {
    const auto [sum, is_new] = recall(classes_, use.key);
    use.sum = sum;
    if (!is_new) continue;
    const Unknown& one = unknown_[use.unknown];
    const size_t begin = keys_.size();
    add_keys(use.piece->members, questions_[one.question].rows, one.what->group->slots.size());
    lookups_.push_back({sum, begin, keys_.size()});
  }
}

void SparseScorer::add_up() {
  // In this order everything has arrived by the time it is used.
  for (const Unknown& one : unknown_) {
    sums_[static_cast<size_t>(one.sum)] = sum_keys(one.keys_begin, one.keys_end);
  }
  for (const Lookup& one : lookups_) {
    sums_[static_cast<size_t>(one.sum)] = sum_keys(one.keys_begin, one.keys_end);
  }
  // From the end, where the shorter ones are.
  for (size_t i = unknown_.size(); i-- > 0;) {
    const Unknown& one = unknown_[i];
    float sum = sums_[static_cast<size_t>(one.sum)];
    for (size_t at = one.pieces_begin; at < one.pieces_end; ++at) {
      sum += sums_[static_cast<size_t>(pieces_[at].sum)];
    }
    if (one.shorter >= 0) sum += sums_[static_cast<size_t>(one.shorter)];
    sums_[static_cast<size_t>(one.sum)] = sum;
  }
}

}  // namespace calque
