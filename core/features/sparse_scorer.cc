#include "features/sparse_scorer.h"

#include <algorithm>

namespace calque {
namespace {

constexpr size_t kFewTemplates = 4;  // not worth remembering

bool is_phrase(const SlotUse& use) {
  return use.slot == Slot::kBlock || use.slot == Slot::kSource || use.slot == Slot::kTarget;
}

// Whether the texts of a group's words, which are few, decide what it adds.
bool is_remembered(const WeightedGroup& one) {
  return !one.group->loops && !one.group->listed && one.templates.size() >= kFewTemplates &&
         std::ranges::none_of(one.group->slots, is_phrase);
}

// Whether a template looks at a word as it is, not at a class of it only.
bool sees_words(const TemplateGroup& group, const TemplateGroup::Member& member) {
  for (size_t i = 0; i < group.slots.size(); ++i) {
    if (member.kind[i] == 0 && !group.slots[i].is_number()) return true;
  }
  return false;
}

}  // namespace

SparseScorer::SparseScorer(const TemplateSet& set, const SparseTable& weights) {
  auto plans = std::make_shared<Plans>();
  uint64_t n_ids = 0;
  for (size_t scope = 0; scope < kNumScopes; ++scope) {
    (*plans)[scope] = make_plan(set.groups(static_cast<Scope>(scope)), weights, n_ids);
  }
  plans_ = std::move(plans);
}

SparseScorer::Plan SparseScorer::make_plan(std::span<const TemplateGroup> groups,
                                           const SparseTable& weights, uint64_t& n_ids) {
  Plan plan;
  for (const TemplateGroup& group : groups) {
    WeightedGroup weighted(group, weights);
    if (!weighted.templates.empty()) plan.groups.push_back(std::move(weighted));
  }
  for (const WeightedGroup& group : plan.groups) {
    plan.needs_values |= std::ranges::any_of(group.group->slots, is_phrase);
    if (is_remembered(group)) {
      plan.remembered.push_back(make_remembered(group, n_ids));
    } else {
      plan.plain.push_back(&group);
    }
  }
  find_varying(plan);
  return plan;
}

void SparseScorer::find_varying(Plan& plan) {
  for (Remembered& one : plan.remembered) {
    for (size_t row = 0; row < one.n_rows; ++row) {
      const SlotUse& use = one.group->slot(row);
      if (use.is_of_span()) continue;
      const auto known = std::ranges::find(plan.varying, use);
      one.varying.push_back({row, static_cast<size_t>(known - plan.varying.begin())});
      if (known == plan.varying.end()) plan.varying.push_back(use);
    }
  }
}

SparseScorer::Remembered SparseScorer::make_remembered(const WeightedGroup& weighted,
                                                       uint64_t& n_ids) {
  const TemplateGroup& group = *weighted.group;
  const size_t n_slots = group.slots.size();
  Remembered one{mix(++n_ids), &group, n_slots, n_slots + group.minor.has_value(), {}, {}, {}};
  for (const WeightedTemplate& some : weighted.templates) {
    const auto& member = *std::ranges::find_if(group.members, [&](const auto& member) {
      return member.name == some.name && member.level == some.level;
    });
    if (sees_words(group, member)) {
      one.rare.push_back(some);
      continue;
    }
    auto piece = std::ranges::find(one.pieces, member.kind, &Piece::kind);
    if (piece == one.pieces.end()) {
      piece = one.pieces.insert(piece, {mix(++n_ids), member.kind, {}, {}});
    }
    piece->templates.push_back(some);
    for (size_t i = 0; i < one.n_rows; ++i) {
      const std::pair seen{static_cast<uint8_t>(i), i < n_slots ? member.level[i] : uint8_t{0}};
      if (std::ranges::find(piece->sees, seen) == piece->sees.end()) piece->sees.push_back(seen);
    }
  }
  return one;
}

void SparseScorer::begin() {
  lookups_.clear();
  asks_.clear();
  questions_.clear();
  uses_.clear();
  rows_.clear();
  sums_.clear();
}

void SparseScorer::ask(Scope scope, const SentenceValues& sentence,
                       std::span<const StepView> steps) {
  const Plan& plan = this->plan(scope);
  const size_t n_groups = plan.remembered.size(), first = uses_.size();
  uses_.resize(first + steps.size() * n_groups, kNoQuestion);
  varying_.clear();
  for (const SlotUse& use : plan.varying) {
    for (const StepView& step : steps) varying_.push_back(Binder(sentence, step).row(use));
  }
  for (size_t i = 0; i < n_groups; ++i) {
    ask_remembered(plan.remembered[i], sentence, steps, std::span(uses_).subspan(first + i), n_groups);
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const WeightedGroup* group : plan.plain) group->look_up(sentence, steps[i], lookups_);
    asks_.push_back({lookups_.size(), first + (i + 1) * n_groups});
  }
}

// Options of a span often begin, or end, with the same word: such steps share a question.
void SparseScorer::ask_remembered(const Remembered& one, const SentenceValues& sentence,
                                  std::span<const StepView> steps, std::span<uint32_t> uses,
                                  size_t stride) {
  Rows rows;
  for (size_t i = 0; i < one.n_rows; ++i) rows[i] = Binder(sentence, steps[0]).row(one.group->slot(i));
  same_.clear();
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].row < 0 && !one.group->copies) continue;
    uint32_t& use = uses[i * stride];
    for (const auto& [row, place] : one.varying) rows[row] = varying_[place * steps.size() + i];
    if (one.varying.size() > 1) {
      use = add_question(one, rows);
      continue;
    }
    const uint64_t* const row = one.varying.empty() ? nullptr : rows[one.varying[0].row];
    const auto known = std::ranges::find(same_, row, &decltype(same_)::value_type::first);
    use = known != same_.end() ? known->second : add_question(one, rows);
    if (known == same_.end()) same_.push_back({row, use});
  }
}

uint32_t SparseScorer::add_question(const Remembered& one, const Rows& rows) {
  const uint64_t key = key_of_words(one, rows);
  words_.cache.prefetch(key);
  questions_.push_back({&one, key, rows_.size(), 0});
  rows_.insert(rows_.end(), rows.data(), rows.data() + one.n_rows);
  return static_cast<uint32_t>(questions_.size() - 1);
}

std::span<const float> SparseScorer::answer() {
  find_unknown();
  open_pieces();
  look_up_pieces();
  lookups_.resolve();
  add_up();
  keep(words_);
  keep(classes_);
  answers_.clear();
  size_t lookup = 0, use = 0;
  for (const Ask& ask : asks_) {
    float sum = lookups_.sum(lookup, ask.lookups_end);
    lookup = ask.lookups_end;
    for (; use < ask.uses_end; ++use) {
      if (uses_[use] != kNoQuestion) sum += sums_[questions_[uses_[use]].sum];
    }
    answers_.push_back(sum);
  }
  return answers_;
}

// All levels of a word follow from its text, which is the first.
uint64_t SparseScorer::key_of_words(const Remembered& what, const Rows& rows) {
  uint64_t key = what.id;
  for (size_t i = 0; i < what.n_rows; ++i) key = add_value(key, i, *rows[i]);
  return mix(key);
}

// The place of a sum, and whether it is new, which the caller then fills.
std::pair<uint32_t, bool> SparseScorer::recall(Memory& memory, uint64_t key) {
  const auto place = static_cast<uint32_t>(sums_.size());
  const SumCache::Known known = memory.cache.recall(key, place);
  if (known.state == SumCache::State::kPromised) return {known.bits, false};
  const bool is_new = known.state == SumCache::State::kNew;
  sums_.push_back(is_new ? 0 : known.sum());
  if (is_new) memory.added.push_back({key, place});
  return {place, is_new};
}

void SparseScorer::keep(Memory& memory) {
  for (const New& one : memory.added) memory.cache.keep(one.key, sums_[one.sum]);
  memory.added.clear();
  memory.cache.grow_if_full();
}

void SparseScorer::find_unknown() {
  unknown_.clear();
  for (Question& question : questions_) {
    const auto [sum, is_new] = recall(words_, question.key);
    question.sum = sum;
    if (is_new) unknown_.push_back({question.what, question.rows, sum, {}, {}});
  }
}

void SparseScorer::open_pieces() {
  pieces_.clear();
  for (Unknown& one : unknown_) {
    one.rare = look_up(one.what->rare, one);
    one.pieces.begin = pieces_.size();
    for (const Piece& piece : one.what->pieces) {
      uint64_t key = piece.id;
      int turn = 0;
      for (const auto& [slot, level] : piece.sees) {
        key ^= std::rotl(rows_[one.rows + slot][level], 7 * turn++);
      }
      key = mix(key);
      classes_.cache.prefetch(key);
      pieces_.push_back({&piece, &one, key, 0});
    }
    one.pieces.end = pieces_.size();
  }
}

void SparseScorer::look_up_pieces() {
  unknown_pieces_.clear();
  for (PieceUse& use : pieces_) {
    const auto [sum, is_new] = recall(classes_, use.key);
    use.sum = sum;
    if (is_new) unknown_pieces_.push_back({sum, look_up(use.piece->templates, *use.of)});
  }
}

void SparseScorer::add_up() {
  for (const UnknownPiece& one : unknown_pieces_) {
    sums_[one.sum] = lookups_.sum(one.lookups.begin, one.lookups.end);
  }
  for (const Unknown& one : unknown_) {
    float sum = lookups_.sum(one.rare.begin, one.rare.end);
    for (size_t at = one.pieces.begin; at < one.pieces.end; ++at) sum += sums_[pieces_[at].sum];
    sums_[one.sum] = sum;
  }
}

}  // namespace calque
