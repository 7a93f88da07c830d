#include "decode/phrase/option_collector.h"

#include <algorithm>
#include <numeric>

#include "flat_map.h"

namespace calque {
namespace {

constexpr size_t kMostKnown = 1 << 16;  // options remembered from sentence to sentence: some 8 MB

// With leave-one-out, so many options more are remembered of each phrase: they move up where blocks
// of the pair fall.
constexpr int kSpare = 12;

// What the step after an option may ask of it.
struct NextClass {
  std::array<std::array<float, 3>, 2> scores;
  uint64_t values;  // that templates look at
  bool operator==(const NextClass&) const = default;
  uint64_t hash() const {
    return mix(values ^ hash_bytes({reinterpret_cast<const char*>(scores.data()), sizeof scores}));
  }
};

// Templates that look at an option and an orientation of it, and what they add to.
struct OrientationScore {
  Scope scope;
  int StepView::*orientation;
  std::array<float, 3> Option::*scores;
};
constexpr std::array kOrientationScores{
    OrientationScore{Scope::kOrientation, &StepView::orientation, &Option::previous},
    OrientationScore{Scope::kBackward, &StepView::backward, &Option::merged_previous},
    OrientationScore{Scope::kForward, &StepView::forward, &Option::merged_next},
};

bool occurs(std::span<const int32_t> text, std::span<const int32_t> words) {
  return !std::ranges::search(text, words).empty();
}

}  // namespace

OptionCollector::OptionCollector(const ModelView& model, const WeightView& weights,
                                 const OptionLimits& limits, const OptionUse& use,
                                 const LeaveOneOut* leave_one_out)
    : model_(model),
      dense_(model, weights, use.least_left_count),
      limit_(limits.per_span),
      max_targets_(limits.by_count ? 0 : limits.max_targets),
      block_limit_(limits.per_span),
      by_count_(limits.by_count),
      normalises_(use.normalises) {
  if (weights.sparse != nullptr) {
    sparse_.emplace(weights.sparse);
    // Those that score best show in the sentence only.
    if (sparse_->has(Scope::kOption) && limit_ > 0 && !by_count_) {
      block_limit_ = limits.in_sentence > 0 ? std::max(limits.in_sentence, limit_) : 0;
    }
  }
  if (leave_one_out != nullptr) left_out_.emplace(*leave_one_out);
  for (const BlockColumn& column : model.dense().block_columns) {
    if (column.frequency == BlockColumn::Frequency::kNone) continue;
    const bool of_target = column.frequency == BlockColumn::Frequency::kTargetGivenSource;
    frequency_weights_[of_target] += static_cast<float>(weights.dense[column.index]);
  }
}

void OptionCollector::collect(OptionTable& table, const SentenceView& sentence,
                              std::span<const Constraint> constraints,
                              std::optional<std::span<const int32_t>> within) {
  const auto source = sentence.words;
  const int n = sentence.size();
  const int block_words = std::max(1, std::min(model_.blocks.max_source_words, Coverage::kWindow));
  int max_words = block_words;
  for (const Constraint& constraint : constraints) {
    max_words = std::max(max_words, constraint.end - constraint.begin);
  }
  table_ = &table;
  table.begin(sentence, max_words);
  if (sparse_) {
    table.values_.begin(model_.sparse(), sentence.levels);
    sparse_->begin_sentence();
  }
  if (left_out_) left_out_->begin(sentence.pair);

  auto constraint = constraints.begin();  // the first that is not behind
  for (int begin = 0; begin < n; ++begin) {
    if (constraint != constraints.end() && constraint->begin == begin) {
      add_required(*constraint);
      begin = constraint->end - 1;
      ++constraint;
      continue;
    }
    const int wall = constraint != constraints.end() ? constraint->begin : n;
    uint64_t hash = kEmptyPhraseHash;
    for (int end = begin + 1; end <= std::min(wall, begin + block_words); ++end) {
      hash = extend_hash(hash, source[static_cast<size_t>(end - 1)]);
      const auto words = source.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
      const size_t from = table.options_.size();
      int64_t phrase = model_.blocks.find(words, hash);
      if (phrase >= 0 && left_out_ && left_out_->is_active() && left_out_->forgets(phrase)) {
        phrase = -1;
      }
      if (phrase >= 0) {
        if (within) {
          add_blocks_within(begin, end, phrase, *within);
        } else {
          add_blocks(begin, end, phrase);
        }
      } else if (end == begin + 1) {
        const auto copy = sentence.copies.subspan(static_cast<size_t>(begin), 1);
        if (!within || occurs(*within, copy)) add_copy(begin);
      }
      score_in_sentence(from);
      if (by_count_) sort_by_score(from);
      table.ranges_[table.index(begin, end)] = {from, table.options_.size()};
    }
  }
  number_next_classes();
  table.estimate_future(normalises_);
}

void OptionCollector::add_blocks(int begin, int end, int64_t phrase) {
  auto known = known_options(begin, end, phrase);
  if (left_out_ && left_out_->is_active()) {
    add_blocks_without_pair(begin, end, phrase, known);
    return;
  }
  if (block_limit_ > 0) {
    known = known.first(std::min(known.size(), static_cast<size_t>(block_limit_)));
  }
  for (const Option& option : known) add_changed(option, begin, end, {});
}

// Blocks come best first.
BlockRange OptionCollector::best_blocks(int64_t phrase) const {
  BlockRange range = model_.blocks.blocks(phrase);
  if (max_targets_ > 0) range.end = std::min(range.end, range.begin + max_targets_);
  return range;
}

// The best options of a phrase as the whole table has them, scored when it is first met.
std::span<const Option> OptionCollector::known_options(int begin, int end, int64_t phrase) {
  if (known_.size() > kMostKnown) {
    known_.clear();
    known_phrases_.clear();
  }
  const auto [known, is_new] = known_phrases_.try_emplace(phrase);
  if (is_new) learn_phrase(begin, end, phrase, known->second);
  const auto [first, last] = known->second;
  return std::span(known_).subspan(first, last - first);
}

// Few blocks of a phrase are of the pair that is left out. Those are scored one by one; the score of
// all others changes by the same amount, so that the best of them are still the best known ones.
void OptionCollector::add_blocks_without_pair(int begin, int end, int64_t phrase,
                                              std::span<const Option> known) {
  const size_t from = table_->options_.size();
  const auto [first, last] = best_blocks(phrase);
  const auto own = left_out_->own_blocks(phrase, {first, last});
  const auto is_own = [&](const Option& option) { return std::ranges::binary_search(own, option.block); };
  const size_t n_others = known.size() - static_cast<size_t>(std::ranges::count_if(known, is_own));
  const bool knows_all = known.size() == static_cast<size_t>(last - first);
  own_options_.clear();
  if (!knows_all && n_others < static_cast<size_t>(block_limit_)) {
    // Too many of the best are own ones.
    for (int64_t block = first; block < last; ++block) {
      own_options_.push_back(dense_.block(begin, end, block));
    }
    score_blocks(own_options_);
    known = own_options_;
  } else {
    for (const int64_t block : own) {
      if (std::ranges::find(known, block, &Option::block) != known.end()) continue;
      own_options_.push_back(dense_.block(begin, end, block));
    }
    score_blocks(own_options_);
    for (const Option& option : own_options_) {
      if (const auto change = left_out_->change(phrase, option.block)) {
        add_changed(option, begin, end, *change);
      }
    }
  }
  const FrequencyChange common = left_out_->common_change(phrase);
  for (const Option& option : known) {
    const auto change = is_own(option) ? left_out_->change(phrase, option.block) : common;
    if (change) add_changed(option, begin, end, *change);
  }
  keep_best(table_->options_, from, block_limit_);
}

void OptionCollector::add_changed(const Option& option, int begin, int end,
                                  const FrequencyChange& change) {
  Option& added = table_->options_.emplace_back(option);
  added.begin = begin;
  added.end = end;
  added.change = change;
  added.score += frequency_weights_[0] * change[0] + frequency_weights_[1] * change[1];
}

void OptionCollector::learn_phrase(int begin, int end, int64_t phrase,
                                   std::pair<size_t, size_t>& known) {
  known.first = known_.size();
  const int remembered = left_out_ && block_limit_ > 0 ? block_limit_ + kSpare : block_limit_;
  const auto [first, last] = best_blocks(phrase);
  rows_.resize(static_cast<size_t>(last - first));
  std::iota(rows_.begin(), rows_.end(), first);
  if (by_count_ && remembered > 0 && rows_.size() > static_cast<size_t>(remembered)) {
    const auto more = [&](int64_t a, int64_t b) { return has_more_events(a, b); };
    std::ranges::partial_sort(rows_, rows_.begin() + remembered, more);
    rows_.resize(static_cast<size_t>(remembered));
  }
  for (const int64_t row : rows_) known_.push_back(dense_.block(begin, end, row));
  score_blocks(std::span(known_).subspan(known.first));
  keep_best(known_, known.first, remembered);
  known.second = known_.size();
}

void OptionCollector::add_blocks_within(int begin, int end, int64_t phrase,
                                        std::span<const int32_t> reference) {
  const size_t from = table_->options_.size();
  const auto [first, last] = model_.blocks.blocks(phrase);
  for (int64_t block = first; block < last; ++block) {
    if (!occurs(reference, model_.blocks.target(block))) continue;
    std::optional<FrequencyChange> change = FrequencyChange{};
    if (left_out_ && left_out_->is_active()) change = left_out_->change(phrase, block);
    if (change) add_changed(dense_.block(begin, end, block), begin, end, *change);
  }
  score_blocks(std::span(table_->options_).subspan(from));
  keep_best(table_->options_, from, block_limit_);
}

// Sparse features that depend on the block alone, of options of one source phrase.
void OptionCollector::score_blocks(std::span<Option> options) {
  if (!sparse_ || options.empty()) return;
  sparse_->begin();
  view_all(options);
  ask_sparse(Scope::kPhrase, std::span(views_).first(1));
  ask_sparse(Scope::kBlock, views_);
  const auto sums = sparse_->answer();
  for (size_t i = 0; i < options.size(); ++i) options[i].score += sums[0] + sums[i + 1];
}

// Sparse features that depend on the place of the options from `from` on, all of one span.
void OptionCollector::score_in_sentence(size_t from) {
  if (!sparse_ || from == table_->options_.size()) return;
  if (sparse_->has(Scope::kSpan) || sparse_->has(Scope::kOption)) score_places(from);
  if (sparse_->has(Scope::kOption)) keep_best(table_->options_, from, limit_);
  score_orientations(from);
}

void OptionCollector::score_places(size_t from) {
  const auto options = std::span(table_->options_).subspan(from);
  sparse_->begin();
  view_all(options);
  ask_sparse(Scope::kSpan, std::span(views_).first(1));
  ask_sparse(Scope::kOption, views_);
  const auto sums = sparse_->answer();
  for (size_t i = 0; i < options.size(); ++i) options[i].score += sums[0] + sums[i + 1];
}

void OptionCollector::score_orientations(size_t from) {
  const auto is_scored = [this](const OrientationScore& score) { return sparse_->has(score.scope); };
  if (std::ranges::none_of(kOrientationScores, is_scored)) return;
  const auto options = std::span(table_->options_).subspan(from);
  sparse_->begin();
  view_all(options);
  for (const auto& [scope, orientation, scores] : kOrientationScores) {
    if (!sparse_->has(scope)) continue;
    for (int way = 0; way < 3; ++way) {
      for (StepView& step : views_) step.*orientation = way;
      ask_sparse(scope, views_);
    }
  }
  auto sum = sparse_->answer().begin();
  for (const auto& [scope, orientation, scores] : kOrientationScores) {
    if (!sparse_->has(scope)) continue;
    for (size_t way = 0; way < 3; ++way) {
      for (Option& option : options) (option.*scores)[way] += *sum++;
    }
  }
}

void OptionCollector::view_all(std::span<const Option> options) {
  views_.clear();
  for (const Option& option : options) views_.push_back(OptionTable::view(option));
}

void OptionCollector::ask_sparse(Scope scope, std::span<StepView> steps) {
  if (sparse_->needs_values(scope)) {
    for (StepView& step : steps) step.values = table_->values_.block(step.begin, step.end, step.target);
  }
  sparse_->ask(scope, table_->values_, steps);
}

bool OptionCollector::has_more_events(int64_t block, int64_t other) const {
  const int64_t n = model_.events().all(block), n_other = model_.events().all(other);
  return n != n_other ? n > n_other : block < other;
}

// Sorts the options from `from` on, the best first, and drops those beyond the limit.
void OptionCollector::keep_best(std::vector<Option>& options, size_t from, int limit) const {
  const auto better = [&](const Option& a, const Option& b) {
    return by_count_ ? has_more_events(a.block, b.block) : a.scores_better(b);
  };
  const auto first = options.begin() + static_cast<std::ptrdiff_t>(from);
  if (limit > 0 && options.size() - from > static_cast<size_t>(limit)) {
    std::partial_sort(first, first + limit, options.end(), better);
    options.resize(from + static_cast<size_t>(limit));
  } else {
    std::sort(first, options.end(), better);
  }
}

// Of the table.
void OptionCollector::sort_by_score(size_t from) {
  const auto options = std::span(table_->options_).subspan(from);
  std::ranges::sort(options, [](const Option& a, const Option& b) { return a.scores_better(b); });
}

void OptionCollector::add_copy(int position) {
  const auto target = table_->sentence_.copies.subspan(static_cast<size_t>(position), 1);
  Option& option = table_->options_.emplace_back(dense_.copy(position, target));
  score_blocks({&option, 1});
}

void OptionCollector::add_required(const Constraint& constraint) {
  const size_t from = table_->options_.size();
  Option& option = table_->options_.emplace_back(dense_.required(constraint));
  score_blocks({&option, 1});
  table_->ranges_[table_->index(constraint.begin, constraint.end)] = {from, from + 1};
  score_in_sentence(from);
}

void OptionCollector::number_next_classes() {
  Interner<NextClass> classes;
  const TemplateSet& set = model_.sparse();
  const bool scores_steps = sparse_ && set.has(Scope::kStep);
  const bool asks = scores_steps && set.needs(kNeedsPreviousTarget);
  table_->block_values_.clear();
  for (Option& option : table_->options_) {
    if (scores_steps) {
      table_->block_values_.push_back(table_->values_.block(option.begin, option.end, option.target));
    }
    uint64_t values = 0;  // the source follows from the place
    if (asks) values = extend_key(table_->block_values_.back().target, option.block >= 0);
    option.next_class = classes.intern({{option.next, option.merged_next}, values});
  }
}

}  // namespace calque
