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
  find_uses(plan);
  return plan;
}

void SparseScorer::find_uses(Plan& plan) {
  for (const bool of_span : {true, false}) {
    for (Remembered& one : plan.remembered) {
      for (size_t row = 0; row < one.n_rows; ++row) {
        const SlotUse& use = one.group->slot(row);
        if (use.is_of_span() != of_span) continue;
        const auto known = std::ranges::find(plan.uses, use);
        one.use[row] = static_cast<uint8_t>(known - plan.uses.begin());
        if (known == plan.uses.end()) plan.uses.push_back(use);
        if (!of_span) one.varying.push_back(static_cast<uint8_t>(row));
      }
    }
    if (of_span) plan.n_of_span = plan.uses.size();
  }
}

SparseScorer::Remembered SparseScorer::make_remembered(const WeightedGroup& weighted,
                                                       uint64_t& n_ids) {
  const TemplateGroup& group = *weighted.group;
  const size_t n_slots = group.slots.size();
  Remembered one{mix(++n_ids), &group, n_slots, n_slots + group.minor.has_value(), {}, {}, {}, {}};
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
  lookups_end_.clear();
  bound_.clear();
  same_.clear();
  questions_.clear();
  questions_of_.clear();
}

void SparseScorer::ask(Scope scope, const SentenceValues& sentence,
                       std::span<const StepView> steps) {
  const Plan& plan = this->plan(scope);
  Ask& ask = asks_.emplace_back(Ask{&plan, steps.size(), bound_.size()});
  bind(ask, sentence, steps);
  for (const Remembered& one : plan.remembered) {
    if (steps[0].row < 0 && !one.group->copies) continue;
    ask_remembered(ask, one);
    ++ask.n_groups;
  }
  for (const StepView& step : steps) {
    for (const WeightedGroup* group : plan.plain) group->look_up(sentence, step, lookups_);
    lookups_end_.push_back(lookups_.size());
  }
}

void SparseScorer::bind(const Ask& ask, const SentenceValues& sentence,
                        std::span<const StepView> steps) {
  for (size_t use = 0; use < ask.plan->uses.size(); ++use) {
    const size_t n = use < ask.plan->n_of_span ? 1 : steps.size(), first = bound_.size();
    for (size_t i = 0; i < n; ++i) {
      const uint64_t* const row = Binder(sentence, steps[i]).row(ask.plan->uses[use]);
      const auto known = std::find(bound_.begin() + static_cast<std::ptrdiff_t>(first), bound_.end(), row);
      same_.push_back(static_cast<uint32_t>(known - bound_.begin() - static_cast<std::ptrdiff_t>(first)));
      bound_.push_back(row);
    }
  }
}

// Options of a span often begin, or end, with the same word: such steps share a question. All
// levels of a word follow from its text, which is the first.
void SparseScorer::ask_remembered(const Ask& ask, const Remembered& one) {
  const auto value = [&](size_t row, size_t step) { return *bound_[ask.row(one.use[row], step)]; };
  uint64_t of_span = one.id;
  for (size_t row = 0; row < one.n_rows; ++row) {
    if (one.use[row] < ask.plan->n_of_span) of_span = add_value(of_span, row, value(row, 0));
  }
  const size_t first = questions_of_.size(), n_varying = one.varying.size();
  const uint32_t* const same =
      n_varying == 1 ? &same_[ask.row(one.use[one.varying[0]], 0)] : nullptr;
  questions_of_.resize(first + ask.n_steps);
  for (size_t i = 0; i < ask.n_steps; ++i) {
    const size_t as = n_varying == 0 ? 0 : n_varying == 1 ? same[i] : i;
    if (as < i) {
      questions_of_[first + i] = questions_of_[first + as];
      continue;
    }
    uint64_t key = of_span;
    for (const size_t row : one.varying) key = add_value(key, row, value(row, i));
    key = mix(key);
    words_.cache.prefetch(key);
    questions_of_[first + i] = static_cast<uint32_t>(questions_.size());
    questions_.push_back({&one, key, static_cast<uint32_t>(asks_.size() - 1), static_cast<uint32_t>(i), 0});
  }
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
  size_t lookup = 0;
  const uint32_t* question = questions_of_.data();
  for (const Ask& ask : asks_) {
    const size_t first = answers_.size();
    for (size_t i = 0; i < ask.n_steps; ++i) {
      const size_t end = lookups_end_[first + i];
      answers_.push_back(lookups_.sum(lookup, end));
      lookup = end;
    }
    for (size_t group = 0; group < ask.n_groups; ++group) {
      for (size_t i = 0; i < ask.n_steps; ++i) {
        answers_[first + i] += sums_[questions_[*question++].sum];
      }
    }
  }
  return answers_;
}

// Whether a sum is new, which the caller then fills. Precondition: `sum` is its place.
bool SparseScorer::recall(Memory& memory, uint64_t key, uint32_t& sum) {
  const SumCache::Known known = memory.cache.recall(key, sum);
  if (known.state == SumCache::State::kPromised) {
    sum = known.bits;
  } else if (known.state == SumCache::State::kSum) {
    sums_[sum] = known.sum();
  } else {
    memory.added.push_back({key, known.place, sum});
  }
  return known.state == SumCache::State::kNew;
}

void SparseScorer::keep(Memory& memory) {
  for (const New& one : memory.added) memory.cache.keep(one.place, one.key, sums_[one.sum]);
  memory.added.clear();
  memory.cache.grow_if_full();
}

void SparseScorer::find_unknown() {
  unknown_.clear();
  rows_.clear();
  sums_.resize(questions_.size());
  for (size_t i = 0; i < questions_.size(); ++i) {
    Question& question = questions_[i];
    question.sum = static_cast<uint32_t>(i);
    if (!recall(words_, question.key, question.sum)) continue;
    unknown_.push_back({question.what, rows_.size(), question.sum, {}, {}});
    const Ask& ask = asks_[question.ask];
    for (size_t row = 0; row < question.what->n_rows; ++row) {
      rows_.push_back(bound_[ask.row(question.what->use[row], question.step)]);
    }
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
  const size_t first = sums_.size();
  sums_.resize(first + pieces_.size());
  for (size_t i = 0; i < pieces_.size(); ++i) {
    PieceUse& use = pieces_[i];
    use.sum = static_cast<uint32_t>(first + i);
    if (recall(classes_, use.key, use.sum)) {
      unknown_pieces_.push_back({use.sum, look_up(use.piece->templates, *use.of)});
    }
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
