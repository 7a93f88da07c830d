#include "features/sparse/sparse_scorer.h"

#include <algorithm>

namespace calque {

void SparseScorer::begin_sentence() {
  target_words_.clear();
  word_sums_.clear();
}

void SparseScorer::begin() {
  lookups_.clear();
  word_lookups_.clear();
  word_parts_.clear();
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
  const SparsePlan& plan = (*plans_)[scope];
  Ask& ask = asks_.emplace_back(Ask{&plan, steps.size(), bound_.size()});
  bind(ask, sentence, steps);
  for (const Remembered& remembered : plan.remembered) {
    if (steps[0].row < 0 && !remembered.group->copies) continue;
    ask_remembered(ask, remembered);
    ++ask.n_groups;
  }
  for (size_t group = 0; group < plan.of_target_words.size(); ++group) {
    ask_target_words(group, ask, sentence, steps);
  }
  for (const StepView& step : steps) {
    const auto sum = static_cast<uint32_t>(sums_.size());
    for (const WeightedGroup& group : plan.plain) group.look_up(sentence, step, sum, lookups_);
    sums_.push_back(0);
  }
}

void SparseScorer::ask_target_words(size_t group, const Ask& ask, const SentenceValues& sentence,
                                    std::span<const StepView> steps) {
  const WeightedGroup& weighted = ask.plan->of_target_words[group];
  if (steps[0].row < 0 && !weighted.group->copies) return;
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto sum = static_cast<uint32_t>(sums_.size() + i);
    for (size_t at = 0; at < steps[i].target.size(); ++at) {
      StepView word = steps[i];
      word.target = word.target.subspan(at, 1);
      const uint64_t key = extend_key(sentence.identity(sentence.target(word.target[0])), group);
      if (const uint32_t* const known = target_words_.find(key)) {
        word_parts_.push_back({*known, sum});
        continue;
      }
      const auto added = static_cast<uint32_t>(word_sums_.size());
      word_sums_.push_back(0);
      target_words_.insert(key, added);
      word_parts_.push_back({added, sum});
      weighted.look_up(sentence, word, added, word_lookups_);
    }
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
void SparseScorer::ask_remembered(const Ask& ask, const Remembered& remembered) {
  const auto value = [&](size_t row, size_t step) {
    return identities_[ask.row(remembered.use[row], step)];
  };
  uint64_t of_span = remembered.id;
  for (size_t row = 0; row < remembered.n_rows; ++row) {
    if (remembered.use[row] < ask.plan->n_of_span) of_span = add_value(of_span, row, value(row, 0));
  }
  const size_t first = questions_of_.size(), n_varying = remembered.varying.size();
  const uint32_t* const same =
      n_varying == 1 ? &same_[ask.row(remembered.use[remembered.varying[0]], 0)] : nullptr;
  questions_of_.resize(first + ask.n_steps);
  for (size_t i = 0; i < ask.n_steps; ++i) {
    const size_t as = n_varying == 0 ? 0 : n_varying == 1 ? same[i] : i;
    if (as < i) {
      questions_of_[first + i] = questions_of_[first + as];
      continue;
    }
    uint64_t key = of_span;
    for (const size_t row : remembered.varying) key = add_value(key, row, value(row, i));
    key = mix(key);
    words_.prefetch(key);
    questions_of_[first + i] = static_cast<uint32_t>(questions_.size());
    const auto ask_index = static_cast<uint32_t>(asks_.size() - 1);
    questions_.push_back({&remembered, key, ask_index, static_cast<uint32_t>(i), 0});
  }
}

std::span<const float> SparseScorer::answer() {
  const size_t n_steps = sums_.size();
  find_unknown();
  open_pieces();
  look_up_pieces();
  lookups_.resolve(sums_);
  word_lookups_.resolve(word_sums_);
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
    const uint64_t* const minor = what.group->minor ? rows_.back() : plans_->set().number(1);
    const Slot slot = what.group->minor ? what.group->minor->slot : Slot::kSourceLength;
    unknown_.push_back({&what, rows, question.sum, plans_->set().number_row(slot, minor)});
  }
}

void SparseScorer::open_pieces() {
  pieces_.clear();
  for (const Unknown& unknown : unknown_) {
    look_up(unknown.what->rare, &rows_[unknown.rows], unknown.what->n_slots,
            unknown.minor.tags.subspan(unknown.minor.at, 1), {unknown.sum, false}, lookups_);
    for (const Piece& piece : unknown.what->pieces) {
      uint64_t key = piece.id ^ unknown.minor.row;
      int turn = 0;
      for (const auto& [slot, level] : piece.sees) {
        key ^= std::rotl(rows_[unknown.rows + slot][level], 7 * turn++);
      }
      key = mix(key);
      classes_.prefetch(key);
      pieces_.push_back({&piece, &unknown, key});
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
  for (const New& added : new_classes_) {
    for (size_t i = 1; i <= RowCache::kSums; ++i) sums_[added.sum + i] += sums_[added.sum];
  }
  for (const auto [from, to] : parts_) sums_[to] += sums_[from];
  for (const auto [from, to] : word_parts_) sums_[to] += word_sums_[from];
}

void SparseScorer::keep() {
  for (const New& added : new_words_) words_.keep(added.place, added.key, sums_[added.sum]);
  for (const New& added : new_classes_) {
    RowCache::Row row;
    std::copy_n(sums_.begin() + added.sum + 1, row.size(), row.begin());
    classes_.keep(added.place, added.key, row);
  }
  new_words_.clear();
  new_classes_.clear();
  words_.grow_if_full();
  classes_.grow_if_full();
}

}  // namespace calque
