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

SparseScorer::SparseScorer(const TemplateSet& set, const SparseTable& weights) : set_(&set) {
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
    for (size_t i = 0; i < n_slots; ++i) {
      const std::pair seen{static_cast<uint8_t>(i), member.level[i]};
      if (std::ranges::find(piece->sees, seen) == piece->sees.end()) piece->sees.push_back(seen);
    }
  }
  return one;
}

void SparseScorer::begin() {
  lookups_.clear();
  asks_.clear();
  bound_.clear();
  identities_.clear();
  same_.clear();
  questions_.clear();
  questions_of_.clear();
  sums_.clear();
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
    const auto sum = static_cast<uint32_t>(sums_.size());
    for (const WeightedGroup* group : plan.plain) group->look_up(sentence, step, sum, lookups_);
    sums_.push_back(0);
  }
}

void SparseScorer::bind(const Ask& ask, const SentenceValues& sentence,
                        std::span<const StepView> steps) {
  for (size_t use = 0; use < ask.plan->uses.size(); ++use) {
    const size_t n = use < ask.plan->n_of_span ? 1 : steps.size(), first = bound_.size();
    for (size_t i = 0; i < n; ++i) {
      const uint64_t* const row = Binder(sentence, steps[i]).row(ask.plan->uses[use]);
      bound_.push_back(row);
      identities_.push_back(sentence.identity(row));
      const auto same = std::ranges::find(std::span(bound_).subspan(first), row);
      same_.push_back(static_cast<uint32_t>(&*same - &bound_[first]));
    }
  }
}

// Options of a span often begin, or end, with the same word: such steps share a question.
void SparseScorer::ask_remembered(const Ask& ask, const Remembered& one) {
  const auto value = [&](size_t row, size_t step) {
    return identities_[ask.row(one.use[row], step)];
  };
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
    words_.prefetch(key);
    questions_of_[first + i] = static_cast<uint32_t>(questions_.size());
    const auto ask_index = static_cast<uint32_t>(asks_.size() - 1);
    questions_.push_back({&one, key, ask_index, static_cast<uint32_t>(i), 0});
  }
}

std::span<const float> SparseScorer::answer() {
  const size_t n_steps = sums_.size();
  find_unknown();
  open_pieces();
  look_up_pieces();
  lookups_.resolve(sums_);
  add_up();
  keep();
  float* sum = sums_.data();
  const uint32_t* question = questions_of_.data();
  for (const Ask& ask : asks_) {
    for (size_t group = 0; group < ask.n_groups; ++group) {
      for (size_t i = 0; i < ask.n_steps; ++i) sum[i] += sums_[questions_[*question++].sum];
    }
    sum += ask.n_steps;
  }
  return {sums_.data(), n_steps};
}

void SparseScorer::find_unknown() {
  unknown_.clear();
  rows_.clear();
  const size_t first = sums_.size();
  sums_.resize(first + questions_.size());
  for (size_t i = 0; i < questions_.size(); ++i) {
    Question& question = questions_[i];
    question.sum = static_cast<uint32_t>(first + i);
    const SumCache::Known known = words_.recall(question.key, question.sum);
    if (known.state == Recalled::kPromised) question.sum = known.bits;
    if (known.state == Recalled::kSum) sums_[question.sum] = known.sum();
    if (known.state != Recalled::kNew) continue;
    new_words_.push_back({question.key, known.place, question.sum});
    const Remembered& what = *question.what;
    const Ask& ask = asks_[question.ask];
    const size_t rows = rows_.size();
    for (size_t row = 0; row < what.n_rows; ++row) {
      rows_.push_back(bound_[ask.row(what.use[row], question.step)]);
    }
    const uint64_t* const minor = what.group->minor ? rows_.back() : set_->number(1);
    unknown_.push_back({&what, rows, question.sum, set_->number_row(minor)});
  }
}

void SparseScorer::open_pieces() {
  pieces_.clear();
  for (const Unknown& one : unknown_) {
    look_up(one.what->rare, &rows_[one.rows], one.what->n_slots,
            one.minor.tags.subspan(one.minor.at, 1), {one.sum, false}, lookups_);
    for (const Piece& piece : one.what->pieces) {
      uint64_t key = piece.id ^ one.minor.row;
      int turn = 0;
      for (const auto& [slot, level] : piece.sees) {
        key ^= std::rotl(rows_[one.rows + slot][level], 7 * turn++);
      }
      key = mix(key);
      classes_.prefetch(key);
      pieces_.push_back({&piece, &one, key});
    }
  }
}

// A row takes seven sums: what its numbers share, and what each of them adds.
void SparseScorer::look_up_pieces() {
  parts_.clear();
  for (const auto& [piece, of, key] : pieces_) {
    const auto first = static_cast<uint32_t>(sums_.size());
    const RowCache::Known known = classes_.recall(key, first);
    const auto at = static_cast<uint32_t>(of->minor.at);
    if (known.state == Recalled::kSum) {
      parts_.push_back({first, of->sum});  // not at once: sums are added in one order always
      sums_.push_back(known.sums[at]);
      continue;
    }
    parts_.push_back({known.ticket() + 1 + at, of->sum});
    if (known.state == Recalled::kPromised) continue;
    new_classes_.push_back({key, known.place, first});
    sums_.resize(first + 1 + RowCache::kSums);
    look_up(piece->templates, &rows_[of->rows], of->what->n_slots, of->minor.tags, {first, true},
            lookups_);
  }
}

void SparseScorer::add_up() {
  for (const New& one : new_classes_) {
    for (size_t i = 1; i <= RowCache::kSums; ++i) sums_[one.sum + i] += sums_[one.sum];
  }
  for (const auto [from, to] : parts_) sums_[to] += sums_[from];
}

void SparseScorer::keep() {
  for (const New& one : new_words_) words_.keep(one.place, one.key, sums_[one.sum]);
  for (const New& one : new_classes_) {
    RowCache::Row row;
    std::copy_n(sums_.begin() + one.sum + 1, row.size(), row.begin());
    classes_.keep(one.place, one.key, row);
  }
  new_words_.clear();
  new_classes_.clear();
  words_.grow_if_full();
  classes_.grow_if_full();
}

}  // namespace calque
