#include "decode/options.h"

#include <algorithm>
#include <limits>

#include "decode/step_scorer.h"
#include "flat_map.h"

namespace calque {
namespace {

constexpr size_t kMostKnown = 1 << 16;  // options remembered from sentence to sentence: some 8 MB

constexpr int kPreselected = 2;

// What the step after an option may ask of it.
struct NextClass {
  std::array<float, 3> scores;
  uint64_t values;  // that templates look at
  bool operator==(const NextClass&) const = default;
  uint64_t hash() const {
    return mix(values ^ hash_bytes({reinterpret_cast<const char*>(scores.data()), sizeof scores}));
  }
};

bool occurs(std::span<const int32_t> text, std::span<const int32_t> words) {
  return !std::ranges::search(text, words).empty();
}

}  // namespace

OptionTable::OptionTable(const ModelView& model, const WeightView& weights, int limit)
    : model_(model),
      weights_(weights),
      first_weight_(model.dense().first_weight(weights.dense)),
      rest_weight_(model.dense().rest_weight(weights.dense)),
      limit_(limit) {
  if (weights.sparse != nullptr && !model.sparse().empty()) {
    sparse_.emplace(model.sparse(), *weights.sparse);
  }
}

void OptionTable::collect(const SentenceView& sentence, std::span<const Constraint> constraints,
                          std::optional<std::span<const int32_t>> within) {
  sentence_ = sentence;
  n_ = sentence.size();
  const auto source = sentence.words;
  if (sparse_) values_.begin(model_.sparse(), sentence.levels);
  const int block_words = std::max(1, std::min(model_.blocks.max_source_words, Coverage::kWindow));
  max_words_ = block_words;
  for (const Constraint& one : constraints) max_words_ = std::max(max_words_, one.end - one.begin);
  options_.clear();
  ranges_.assign(static_cast<size_t>(n_ * max_words_), {0, 0});

  auto constraint = constraints.begin();  // the first that is not behind
  for (int begin = 0; begin < n_; ++begin) {
    if (constraint != constraints.end() && constraint->begin == begin) {
      add_required(*constraint);
      begin = constraint->end - 1;
      ++constraint;
      continue;
    }
    const int wall = constraint != constraints.end() ? constraint->begin : n_;
    uint64_t hash = kEmptyPhraseHash;
    for (int end = begin + 1; end <= std::min(wall, begin + block_words); ++end) {
      hash = extend_hash(hash, source[static_cast<size_t>(end - 1)]);
      const auto words = source.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
      const size_t from = options_.size();
      if (const int64_t phrase = model_.blocks.find(words, hash); phrase >= 0) {
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
      ranges_[index(begin, end)] = {from, options_.size()};
    }
  }
  number_next_classes();
  estimate_future();
}

// The best options of a phrase, which are scored when it is first met.
void OptionTable::add_blocks(int begin, int end, int64_t phrase) {
  if (known_.size() > kMostKnown) {
    known_.clear();
    known_phrases_.clear();
  }
  const auto [known, is_new] = known_phrases_.try_emplace(phrase);
  if (is_new) learn_phrase(begin, end, phrase, known->second);
  const auto [first, last] = known->second;
  for (size_t at = first; at < last; ++at) {
    options_.push_back(known_[at]);
    options_.back().begin = begin;
    options_.back().end = end;
  }
}

void OptionTable::learn_phrase(int begin, int end, int64_t phrase,
                               std::pair<size_t, size_t>& known) {
  known.first = known_.size();
  const auto [first, last] = model_.blocks.blocks(phrase);
  for (int64_t row = first; row < last; ++row) known_.push_back(make_option(begin, end, row));
  if (sparse_) {
    keep_best(known_, known.first, kPreselected * limit_);
    score_blocks(std::span(known_).subspan(known.first));
  }
  keep_best(known_, known.first, limit_);
  known.second = known_.size();
}

void OptionTable::add_blocks_within(int begin, int end, int64_t phrase,
                                    std::span<const int32_t> reference) {
  const size_t from = options_.size();
  const auto [first, last] = model_.blocks.blocks(phrase);
  for (int64_t block = first; block < last; ++block) {
    if (!occurs(reference, model_.blocks.target(block))) continue;
    options_.push_back(make_option(begin, end, block));
  }
  score_blocks(std::span(options_).subspan(from));
  keep_best(options_, from, limit_);
}

// Sparse features that depend on the block alone, of options of one source phrase.
void OptionTable::score_blocks(std::span<Option> options) {
  if (!sparse_ || options.empty()) return;
  sparse_->begin();
  view_all(options);
  ask_sparse(Scope::kPhrase, std::span(views_).first(1));
  ask_sparse(Scope::kBlock, views_);
  const auto sums = sparse_->answer();
  for (size_t i = 0; i < options.size(); ++i) options[i].score += sums[0] + sums[i + 1];
}

// Sparse features that depend on the place of the options from `from` on, all of one span.
void OptionTable::score_in_sentence(size_t from) {
  if (!sparse_ || from == options_.size()) return;
  const auto options = std::span(options_).subspan(from);
  sparse_->begin();
  view_all(options);
  ask_sparse(Scope::kSpan, std::span(views_).first(1));
  ask_sparse(Scope::kOption, views_);
  const size_t n_ways = sparse_->has(Scope::kOrientation) ? 3 : 0;
  for (size_t way = 0; way < n_ways; ++way) {
    for (StepView& step : views_) step.orientation = static_cast<int>(way);
    ask_sparse(Scope::kOrientation, views_);
  }
  const auto sums = sparse_->answer();
  const size_t n = options.size();
  for (size_t i = 0; i < n; ++i) {
    options[i].score += sums[0] + sums[i + 1];
    for (size_t way = 0; way < n_ways; ++way) {
      options[i].previous[way] += sums[1 + n + way * n + i];
    }
  }
  if (sparse_->has(Scope::kOption)) keep_best(options_, from, 0);
}

void OptionTable::view_all(std::span<const Option> options) {
  views_.clear();
  for (const Option& option : options) views_.push_back(view(option));
}

void OptionTable::ask_sparse(Scope scope, std::span<StepView> steps) {
  if (sparse_->needs_values(scope)) {
    for (StepView& step : steps) step.values = values_.block(step.begin, step.end, step.target);
  }
  sparse_->ask(scope, values_, steps);
}

StepView OptionTable::view(const Option& option) {
  StepView step;
  step.begin = option.begin;
  step.end = option.end;
  step.row = option.block;
  step.target = option.target;
  return step;
}

// Sorts the options from `from` on, the most promising first, and drops those beyond the limit.
void OptionTable::keep_best(std::vector<Option>& options, size_t from, int limit) const {
  const auto better = [](const Option& a, const Option& b) {
    return a.estimate() != b.estimate() ? a.estimate() > b.estimate() : a.block < b.block;
  };
  const auto first = options.begin() + static_cast<std::ptrdiff_t>(from);
  if (limit > 0 && options.size() - from > static_cast<size_t>(limit)) {
    std::partial_sort(first, first + limit, options.end(), better);
    options.resize(from + static_cast<size_t>(limit));
  } else {
    std::sort(first, options.end(), better);
  }
}

void OptionTable::add_copy(int position) {
  Option option{};
  option.begin = position;
  option.end = position + 1;
  option.block = -1;
  option.target = sentence_.copies.subspan(static_cast<size_t>(position), 1);
  for (const BlockColumn& column : model_.dense().block_columns) {
    option.score += static_cast<float>(weights_.dense[column.index] * column.copied);
  }
  for (const OrientationColumn& column : model_.dense().orientation_columns) {
    auto& scores = column.next ? option.next : option.previous;
    for (size_t i = 0; i < 3; ++i) {
      scores[i] += static_cast<float>(weights_.dense[column.index] * column.copied[i]);
    }
  }
  score_words(option);
  score_blocks({&option, 1});
  options_.push_back(option);
}

void OptionTable::add_required(const Constraint& constraint) {
  Option option{};
  option.begin = constraint.begin;
  option.end = constraint.end;
  option.block = -1;
  option.required = true;
  option.target = constraint.target;
  score_words(option);
  score_blocks({&option, 1});
  ranges_[index(option.begin, option.end)] = {options_.size(), options_.size() + 1};
  options_.push_back(option);
  score_in_sentence(options_.size() - 1);
}

Option OptionTable::make_option(int begin, int end, int64_t block) const {
  Option option{};
  option.begin = begin;
  option.end = end;
  option.block = block;
  option.target = model_.blocks.target(block);
  for (const BlockColumn& column : model_.dense().block_columns) {
    option.score += static_cast<float>(weights_.dense[column.index] * column.at(block));
  }
  for (const OrientationColumn& column : model_.dense().orientation_columns) {
    auto& scores = column.next ? option.next : option.previous;
    for (size_t i = 0; i < 3; ++i) {
      scores[i] += static_cast<float>(weights_.dense[column.index] * column.at(block, i));
    }
  }
  score_words(option);
  return option;
}

// The parts of an option that its target words decide.
void OptionTable::score_words(Option& option) const {
  option.lm_estimate = static_cast<float>(
      score_lm(model_.lm, model_.lm.empty(), option.target, first_weight_, rest_weight_).score);
  if (const auto& classes = model_.dense().class_lm) {
    const double weight = weights_.dense[classes->index];
    option.lm_estimate += static_cast<float>(
        score_lm(classes->lm, classes->lm.empty(), option.target, weight, weight).score);
  }
  option.words = 0;
  option.words_factor = 1;
  for (const int32_t word : option.target) {
    option.words = append_word(option.words, word);
    option.words_factor *= kWordsFactor;
  }
  const bool is_copy = option.block < 0 && !option.required;
  for (const CountComponent& count : model_.dense().counts) {
    option.score +=
        static_cast<float>(weights_.dense[count.index] * count.at(option.target.size(), is_copy));
  }
}

void OptionTable::number_next_classes() {
  Interner<NextClass> classes;
  const TemplateSet& set = model_.sparse();
  const bool scores_steps = sparse_ && StepScorer::is_needed(set);
  const bool asks = scores_steps && set.needs(kNeedsPreviousTarget | kNeedsForward);
  block_values_.clear();
  for (Option& option : options_) {
    if (scores_steps) {
      block_values_.push_back(values_.block(option.begin, option.end, option.target));
    }
    uint64_t values = 0;  // the source follows from the place
    if (asks) values = extend_key(block_values_.back().target, option.block >= 0);
    option.next_class = classes.intern({option.next, values});
  }
}

void OptionTable::estimate_future() {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  const auto best = [&](int begin, int end) {
    const auto options = span(begin, end);
    return options.empty() ? kNever : options.front().estimate();
  };
  future_to_end_.assign(static_cast<size_t>(n_ + 1), kNever);
  future_to_end_.back() = 0;
  future_.assign(static_cast<size_t>((n_ + 1) * Coverage::kWindow), kNever);
  // Right to left: the first option of a gap, then the rest of it.
  for (int begin = n_; begin >= 0; --begin) {
    float* const row = future_.data() + begin * Coverage::kWindow;
    row[0] = 0;
    for (int mid = begin + 1; mid <= std::min(n_, begin + max_words_); ++mid) {
      const float first = best(begin, mid);
      if (first == kNever) continue;
      float& to_end = future_to_end_[static_cast<size_t>(begin)];
      to_end = std::max(to_end, first + future_to_end_[static_cast<size_t>(mid)]);
      const float* const rest = future_.data() + mid * Coverage::kWindow;
      for (int length = mid - begin; length < std::min(Coverage::kWindow, n_ - begin + 1); ++length) {
        row[length] = std::max(row[length], first + rest[length - (mid - begin)]);
      }
    }
  }
}

float OptionTable::future(const Coverage& coverage) const {
  float sum = 0;
  int gap = coverage.first;  // where the gap begins
  uint64_t bits = coverage.later;
  for (int next = gap + 1; bits != 0;) {  // bit 0 of `bits` is word `next`
    const int free = std::countr_zero(bits);
    sum += future(gap, next + free);
    bits >>= free;
    const int run = std::countr_one(bits);
    bits = run < 64 ? bits >> run : 0;
    gap = next += free + run;
  }
  return gap < n_ ? sum + future(gap, n_) : sum;
}

}  // namespace calque
