#include "tune/chart_violation.h"

#include <algorithm>
#include <limits>

#include "decode/chart/derivations.h"
#include "decode/chart/forced_search.h"
#include "decode/chart/watched_sides.h"
#include "tune/violation_values.h"

namespace calque {
namespace {

using Place = WatchedSides::Place;

// A vertex of the gold hypergraph or of the chart, and its score there.
struct Scored {
  int32_t vertex = -1;
  double score = 0;

  bool is_there() const { return vertex >= 0; }
  // Takes a better one; of equal ones the first.
  bool improve(int32_t other, double its_score) {
    if (is_there() && its_score <= score) return false;
    *this = {other, its_score};
    return true;
  }
};

// What a span offers, or what covers the sentence up to a word.
struct Bin {
  int32_t begin = 0, end = 0;
  bool is_prefix = false;      // what is glued together
  std::vector<int32_t> golden; // vertices of the gold hypergraph
  std::vector<Place> places;   // where their words stand first
  Scored gold;                 // the best of them
  Scored bad;                  // the best in the chart that cannot give the reference
  Scored best;                 // the best in the chart
  bool is_won = false;         // .. which gives the reference
};

// One pair after the other; one per thread.
class ChartViolationFinder {
 public:
  ChartViolationFinder(const ModelView& model, const PrefixIndex& index, const WeightView& weights,
                       const ChartViolationOptions& options)
      : model_(model),
        lm_weights_(chart_lm_weights(model, weights)),
        options_(options),
        chart_(model, weights, index, options.limits, options.search, options.leave_one_out,
               WatchedSides(LmSides(model, weights))),
        gold_(model, weights, index, {options.search.max_span, options.search.shallow},
              {std::numeric_limits<int64_t>::max(), std::numeric_limits<int>::max()},
              options.leave_one_out) {}

  Violation find(const LatticePair& pair) {
    source_ = pair.source;
    reference_ = pair.reference;
    is_whole_ = pair.is_whole;
    golden_ = gold_.run(source_, reference_);
    whole_ = gold_.prefix(source_.size(), static_cast<int>(reference_.size()));
    if (whole_ < 0) return {};  // other language models or blocks than where it was found
    chart_.target().watch(reference_, is_whole_);
    graph_ = &chart_.run(source_, {});
    score_fragments();
    fill_bins();

    Violation violation;
    if (const Update update = select(); update.bin >= 0) {
      const bool is_prefix = bins_[static_cast<size_t>(update.bin)].is_prefix;
      const SentenceEdges edges{is_prefix, update.bin == last() && is_whole_};
      violation = prefer(features(update.good, edges), features(update.bad, edges), update.bin,
                         update.margin());
    }
    violation.is_won = bins_.back().is_won;
    return violation;
  }

 private:
  enum class Kind { kGood, kBad, kNeither };
  struct Chosen {
    bool is_golden;
    Scored scored;
  };
  struct Update {
    int32_t bin = -1;
    Chosen good{}, bad{};
    double margin() const { return good.scored.score - bad.scored.score; }
  };

  int last() const { return static_cast<int>(bins_.size()) - 1; }

  // What language models make of words of the reference alone, from every word on.
  void score_fragments() {
    const size_t n = reference_.size();
    fragments_.assign(n * (n + 1), 0);
    const auto add = [&](const TargetLm& lm, float weight) {
      for (size_t begin = 0; begin < n; ++begin) {
        LmState state = lm.lm.empty();
        double sum = 0;
        for (size_t at = begin; at < n; ++at) {
          LmState after;
          sum += static_cast<double>(weight) * lm.score(state, reference_[at], after);
          state = after;
          fragments_[begin * (n + 1) + at + 1] += sum;
        }
      }
    };
    add(model_.lm, lm_weights_.words);
    if (const auto& classes = model_.dense().class_lm) add(classes->lm, lm_weights_.classes);
  }

  void fill_bins() {
    const int n = source_.size(), width = std::min(n, options_.search.max_span);
    bins_.clear();
    const auto open = [&](int begin, int end, bool is_prefix) {
      Bin& bin = bins_.emplace_back();
      bin.begin = begin;
      bin.end = end;
      bin.is_prefix = is_prefix;
    };
    first_bins_.assign(static_cast<size_t>(n), 0);
    for (int begin = n - 1; begin >= 0; --begin) {
      first_bins_[static_cast<size_t>(begin)] = bins_.size();
      for (int end = begin + 1; end <= std::min(n, begin + width); ++end) open(begin, end, false);
    }
    n_spans_ = bins_.size();
    for (int end = 1; end <= n; ++end) open(0, end, true);
    marked_ = on_ways_to(*golden_, whole_);
    for (int32_t id = 0; id < static_cast<int32_t>(golden_->vertices.size()); ++id) add_golden(id);
    for (int at = 0; at <= last(); ++at) fill(at);
  }

  // The number of a span or prefix in the order of the search.
  size_t bin_of(const Vertex& vertex) const {
    const auto end = static_cast<size_t>(vertex.end);
    if (vertex.best.rule == Application::kGlue) return n_spans_ + end - 1;
    const auto begin = static_cast<size_t>(vertex.begin);
    return first_bins_[begin] + end - begin - 1;
  }

  void add_golden(int32_t id) {
    if (!options_.all_prefixes && !marked_[static_cast<size_t>(id)]) return;
    const Vertex& vertex = (*golden_)[id];
    const size_t number = bin_of(vertex);
    const auto [from, to] = gold_.interval(id);
    const bool ends = static_cast<int>(number) == last();
    if (ends && id != whole_) return;
    Bin& bin = bins_[number];
    double score = vertex.score;
    if (bin.is_prefix) {
      score += ends && is_whole_ ? golden_end() : gold_.lm_score(to);
    } else {
      score += fragments_[static_cast<size_t>(from) * (reference_.size() + 1) + static_cast<size_t>(to)];
    }
    bin.gold.improve(id, score);
    bin.golden.push_back(id);
    const auto words = reference_.subspan(static_cast<size_t>(from), static_cast<size_t>(to - from));
    bin.places.push_back(bin.is_prefix ? Place{from, to} : chart_.target().first_place(words));
  }

  double golden_end() const { return golden_->complete.front().end; }

  // What the chart kept of a bin.
  std::span<const int32_t> held(const Bin& bin) const {
    return bin.is_prefix ? chart_.kept_prefix(bin.end) : chart_.kept(bin.begin, bin.end);
  }
  const Place& place(int32_t vertex) { return chart_.target().place((*graph_)[vertex].state); }

  void fill(int number) {
    Bin& bin = bins_[static_cast<size_t>(number)];
    for (const int32_t id : held(bin)) {
      double score = (*graph_)[id].score;
      if (number == last()) score += chart_.target().finish((*graph_)[id].state);
      const Kind its_kind = kind(number, bin, place(id));
      if (bin.best.improve(id, score)) bin.is_won = its_kind == Kind::kGood;
      if (its_kind == Kind::kBad) bin.bad.improve(id, score);
    }
  }

  Kind kind(int number, const Bin& bin, const Place& place) const {
    if (place.is_bad()) return Kind::kBad;
    if (number == last()) {
      return static_cast<size_t>(place.end) == reference_.size() ? Kind::kGood : Kind::kBad;
    }
    if (options_.all_prefixes) return Kind::kGood;
    return std::ranges::find(bin.places, place) != bin.places.end() ? Kind::kGood : Kind::kNeither;
  }

  // Where both are there.
  static bool is_site(const Bin& bin) { return bin.gold.is_there() && bin.bad.is_there(); }
  Update update(int number) const {
    const Bin& bin = bins_[static_cast<size_t>(number)];
    return {number, {true, bin.gold}, {false, bin.bad}};
  }

  Update select() {
    switch (options_.selection) {
      case Selection::kMaxViolation:
        return max_violation();
      case Selection::kEarly:
        return early();
      case Selection::kStandard:
        return standard();
      case Selection::kLocal:
        return local();
    }
    return {};
  }

  Update max_violation() const {
    Update worst;
    for (int number = 0; number <= last(); ++number) {
      if (!is_site(bins_[static_cast<size_t>(number)])) continue;
      const Update here = update(number);
      if (here.margin() <= (worst.bin < 0 ? 0 : worst.margin())) worst = here;
    }
    return worst;
  }

  // The first valid update from a bin on.
  Update first_valid(int begin) const {
    for (int number = begin; number <= last(); ++number) {
      if (!is_site(bins_[static_cast<size_t>(number)])) continue;
      const Update here = update(number);
      if (here.margin() <= 0) return here;
    }
    return {};
  }

  // Where the last derivation of the reference is lost: none is left without what the chart did not keep
  // up to there.
  Update early() {
    std::vector<bool> lost(golden_->vertices.size(), false);
    for (int number = 0; number <= last(); ++number) {
      const Bin& bin = bins_[static_cast<size_t>(number)];
      bool loses = false;
      for (size_t at = 0; at < bin.golden.size(); ++at) {
        const bool is_kept = std::ranges::any_of(
            held(bin), [&](int32_t id) { return place(id) == bin.places[at]; });
        if (is_kept) continue;
        lost[static_cast<size_t>(bin.golden[at])] = true;
        loses = true;
      }
      if (loses && !can_be_derived(lost)) return first_valid(number);
    }
    return bins_.back().is_won ? Update{} : first_valid(last());
  }

  // Whether some derivation of the reference has no lost part.
  bool can_be_derived(const std::vector<bool>& lost) const {
    std::vector<bool> is_left(lost.size(), false);
    for (size_t id = 0; id < lost.size(); ++id) {
      if (lost[id]) continue;
      golden_->for_each_way(golden_->vertices[id], [&](const Application& way, double) {
        bool whole = true;
        for_each_tail(way, [&](size_t tail) { whole &= is_left[tail]; });
        if (whole) is_left[id] = true;
      });
    }
    return is_left[static_cast<size_t>(whole_)];
  }

  Update standard() const {
    const Bin& end = bins_.back();
    if (end.is_won || !end.gold.is_there() || !end.best.is_there()) return {};
    return {last(), {true, end.gold}, {false, end.best}};
  }

  Update local() {
    const Bin& end = bins_.back();
    if (!end.best.is_there()) return {};
    std::vector<std::vector<int32_t>> translations;
    for (const int32_t id : held(end)) {
      append_words(best_chart_steps(*graph_, chart_.rules(), id), translations.emplace_back());
    }
    const int32_t wanted = held(end)[closest(translations, reference_)];
    if (wanted == end.best.vertex) return {};
    const Vertex& vertex = (*graph_)[wanted];
    const Scored good{wanted, vertex.score + chart_.target().finish(vertex.state)};
    return {last(), {false, good}, {false, end.best}};
  }

  DerivedFeatures features(const Chosen& chosen, const SentenceEdges& edges) const {
    const std::vector<Step> steps =
        chosen.is_golden ? best_chart_steps(*golden_, gold_.rules(), chosen.scored.vertex)
                         : best_chart_steps(*graph_, chart_.rules(), chosen.scored.vertex);
    return {extract_chart_features(model_, steps, edges),
            extract_chart_sparse(model_, source_, steps)};
  }

  ModelView model_;
  ChartLmWeights lm_weights_;
  ChartViolationOptions options_;
  ChartSearch<WatchedSides> chart_;
  ChartForcedSearch gold_;
  const Hypergraph* graph_ = nullptr;   // of the chart
  const Hypergraph* golden_ = nullptr;  // all derivations of the reference, and dead ends
  int32_t whole_ = -1;                  // .. the vertex that gives all of it
  SentenceView source_;
  std::span<const int32_t> reference_;
  bool is_whole_ = true;
  std::vector<bool> marked_;       // what is on ways to the whole reference
  std::vector<double> fragments_;  // what language models make of an interval of the reference
  std::vector<Bin> bins_;
  std::vector<size_t> first_bins_;  // of spans that begin at each word
  size_t n_spans_ = 0;
};

}  // namespace

std::vector<Violation> find_chart_violations(const ModelView& model, const PrefixIndex& index,
                                             const WeightView& weights,
                                             const ChartViolationOptions& options,
                                             const SourceText& source,
                                             const ReferenceTexts::Text& references,
                                             const GoldView& lattices,
                                             std::span<const int64_t> chosen, int n_threads) {
  return find_in_each(source, references, lattices, chosen, n_threads, [&] {
    return ChartViolationFinder(model, index, weights, options);
  });
}

}  // namespace calque
