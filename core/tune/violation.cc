#include "tune/violation.h"

#include <algorithm>
#include <utility>

#include "decode/phrase/derivations.h"
#include "decode/phrase/extract.h"
#include "decode/phrase/gold_search.h"
#include "decode/phrase/watched_target.h"
#include "tune/violation_values.h"

namespace calque {
namespace {

// What one bin offers; hypotheses of the gold lattice or of the beam, -1 for none.
struct Bin {
  int32_t gold = -1;      // the best of the lattice
  int32_t bad = -1;       // the best in the beam that cannot give the reference
  int32_t best = -1;      // the best in the beam
  bool has_good = false;  // something in the beam may give the reference
  bool is_won = false;    // .. and is the best
};

// One lattice after the other; one per thread.
template <typename Inner>
class ViolationFinder {
 public:
  ViolationFinder(const ModelView& model, const WeightView& weights,
                  const ViolationOptions& options, const GoldView& lattices, const Inner& inner)
      : model_(model),
        options_(options),
        lattices_(lattices),
        collector_(model, weights, options.limits, options.search.option_use(),
                   options.leave_one_out),
        beam_(*model.features, weights, options.search, WatchedTarget<Inner>(inner)),
        gold_(model, weights, options.search.reordering, options.leave_one_out) {}

  Violation find(const LatticePair& pair) {
    is_whole_ = pair.is_whole;
    reference_ = pair.reference;
    load_states(lattices_, pair.lattice, states_);
    gold_.run(pair.source, reference_, is_whole_, options_.all_prefixes ? nullptr : &states_);
    collector_.collect(table_, pair.source);
    beam_.target().watch(reference_, is_whole_);
    graph_ = &beam_.run(table_);
    fill_bins();

    Violation violation;
    if (const auto [bin, good, bad] = select(); bin >= 0) {
      const bool ends = bin == last() && is_whole_;
      violation = prefer(features(good, ends), features(bad, ends), bin, score(good) - score(bad));
    }
    violation.is_won = bins_.back().is_won;
    return violation;
  }

 private:
  enum class Kind { kGood, kBad, kNeither };
  // A derivation of the lattice or of the beam.
  struct Chosen {
    bool in_lattice;
    int32_t hypothesis;
  };
  struct Update {
    int32_t bin = -1;
    Chosen good{}, bad{};
  };

  int last() const { return table_.size(); }

  // What the beam holds in a bin; in the last one the best first.
  std::span<const int32_t> held(int bin) const {
    if (bin < last()) return beam_.stack(bin);
    const std::span<const int32_t> all(graph_->complete);
    const auto size = static_cast<size_t>(options_.search.stack_size);
    return size > 0 && all.size() > size ? all.first(size) : all;
  }

  Kind kind(int bin, const Hypothesis& hypothesis) const {
    const int32_t n_words = beam_.target().n_words(hypothesis.target);
    if (n_words == WatchedTarget<Inner>::kBad) return Kind::kBad;
    if (bin == last()) {
      return static_cast<size_t>(n_words) == reference_.size() ? Kind::kGood : Kind::kBad;
    }
    if (options_.all_prefixes) return Kind::kGood;
    const int32_t last_end = graph_->places[hypothesis.place].last_end;
    const bool known = states_.find({graph_->coverage(hypothesis), last_end, n_words}) >= 0;
    return known ? Kind::kGood : Kind::kNeither;
  }

  void fill_bins() {
    bins_.assign(static_cast<size_t>(last()) + 1, {});
    for (int i = 0; i <= last(); ++i) {
      Bin& bin = bins_[static_cast<size_t>(i)];
      bin.gold = gold_.best(
          i, [&](const Hypothesis& hypothesis) { return ahead(gold_.graph(), hypothesis); });
      const auto improve = [&](int32_t& best, int32_t id) {
        const double value = score({false, id});
        if (best >= 0 && score({false, best}) > value) return false;
        if (best >= 0 && score({false, best}) == value && best < id) return false;
        best = id;
        return true;
      };
      for (const int32_t id : held(i)) {
        const Kind its_kind = kind(i, (*graph_)[id]);
        if (improve(bin.best, id)) bin.is_won = its_kind == Kind::kGood;
        if (its_kind == Kind::kBad) improve(bin.bad, id);
        bin.has_good |= its_kind == Kind::kGood;
      }
    }
  }

  // What is still to come, where it counts: the same estimate for lattice and beam.
  double ahead(const SearchGraph& graph, const Hypothesis& hypothesis) const {
    if (!options_.future_in_margin) return 0;
    const int32_t last_end = graph.places[hypothesis.place].last_end;
    return static_cast<double>(beam_.future(graph.coverage(hypothesis), last_end));
  }
  double score(const Chosen& chosen) const {
    const SearchGraph& graph = chosen.in_lattice ? gold_.graph() : *graph_;
    const Hypothesis& hypothesis = graph[chosen.hypothesis];
    return hypothesis.score + ahead(graph, hypothesis);
  }
  // Where both are there.
  bool is_site(int bin) const {
    const Bin& at = bins_[static_cast<size_t>(bin)];
    return at.gold >= 0 && at.bad >= 0;
  }
  Update update(int bin) const {
    const Bin& at = bins_[static_cast<size_t>(bin)];
    return {bin, {true, at.gold}, {false, at.bad}};
  }
  double margin(const Update& update) const { return score(update.good) - score(update.bad); }

  Update select() const {
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
    for (int bin = 1; bin <= last(); ++bin) {
      if (!is_site(bin)) continue;
      const Update here = update(bin);
      if (margin(here) <= (worst.bin < 0 ? 0 : margin(worst))) worst = here;
    }
    return worst;
  }

  // The first valid update of these bins.
  Update first_valid(int begin, int end) const {
    for (int bin = begin; bin < end; ++bin) {
      if (is_site(bin) && margin(update(bin)) <= 0) return update(bin);
    }
    return {};
  }

  // A block may skip bins, but no more than its words: where more have nothing good, or the last has
  // not, the reference is lost from the first of them on.
  Update early() const {
    int n_without = 0;
    for (int bin = 1; bin <= last(); ++bin) {
      n_without = bins_[static_cast<size_t>(bin)].has_good ? 0 : n_without + 1;
      if (n_without == table_.max_words() || (bin == last() && n_without > 0)) {
        return first_valid(bin - n_without + 1, bin + 1);
      }
    }
    return bins_.back().is_won ? Update{} : first_valid(last(), last() + 1);
  }

  Update standard() const {
    const Bin& end = bins_.back();
    if (end.is_won || end.gold < 0 || end.best < 0) return {};
    return {last(), {true, end.gold}, {false, end.best}};
  }

  Update local() const {
    const Bin& end = bins_.back();
    if (end.best < 0) return {};
    std::vector<std::vector<int32_t>> translations;
    for (const int32_t id : held(last())) translations.push_back(words_of(id));
    const int32_t wanted = held(last())[closest(translations, reference_)];
    if (wanted == end.best) return {};
    return {last(), {false, wanted}, {false, end.best}};
  }

  std::vector<int32_t> words_of(int32_t id) const {
    std::vector<std::span<const int32_t>> targets;
    for (; (*graph_)[id].previous >= 0; id = (*graph_)[id].previous) {
      targets.push_back(table_[(*graph_)[id].option].target);
    }
    std::vector<int32_t> words;
    for (auto at = targets.rbegin(); at != targets.rend(); ++at) {
      words.insert(words.end(), at->begin(), at->end());
    }
    return words;
  }

  DerivedFeatures features(const Chosen& chosen, bool ends) const {
    Derivation derivation =
        chosen.in_lattice
            ? derivation_to(gold_.graph(), gold_.table(), model_, chosen.hypothesis, ends)
            : derivation_to(*graph_, table_, model_, chosen.hypothesis, ends);
    SparseVector sparse = extract_sparse(model_, table_.sentence(), derivation.steps, ends);
    return {std::move(derivation.features), std::move(sparse)};
  }

  ModelView model_;
  ViolationOptions options_;
  GoldView lattices_;
  OptionCollector collector_;
  OptionTable table_;
  Search<WatchedTarget<Inner>> beam_;
  const SearchGraph* graph_ = nullptr;  // of the beam
  GoldSearch gold_;
  GoldStates states_;
  std::span<const int32_t> reference_;
  bool is_whole_ = true;
  std::vector<Bin> bins_;
};

constexpr size_t kKeyRanges = 64;
constexpr int kRangeShift = 64 - 6;

// Adds up the differences whose keys begin with the bits `range`, by ascending key.
void sum_range(std::span<const Violation> violations, size_t range, SparseVector& sum) {
  std::vector<std::pair<uint64_t, float>> entries;
  for (const Violation& violation : violations) {
    const auto& keys = violation.sparse.keys;
    const uint64_t first = static_cast<uint64_t>(range) << kRangeShift;
    for (auto i = static_cast<size_t>(std::ranges::lower_bound(keys, first) - keys.begin());
         i < keys.size() && keys[i] >> kRangeShift == range; ++i) {
      entries.emplace_back(keys[i], violation.sparse.counts[i]);
    }
  }
  std::ranges::sort(entries, {}, &std::pair<uint64_t, float>::first);
  for (size_t i = 0; i < entries.size();) {
    const uint64_t key = entries[i].first;
    float count = 0;
    for (; i < entries.size() && entries[i].first == key; ++i) count += entries[i].second;
    if (count == 0) continue;
    sum.keys.push_back(key);
    sum.counts.push_back(count);
  }
}

}  // namespace

std::vector<Violation> find_violations(const ModelView& model, const WeightView& weights,
                                       const ViolationOptions& options, const SourceText& source,
                                       const ReferenceTexts::Text& references,
                                       const GoldView& lattices, std::span<const int64_t> chosen,
                                       int n_threads) {
  std::vector<Violation> violations;
  with_target(model, weights, [&](const auto& inner) {
    violations = find_in_each(source, references, lattices, chosen, n_threads, [&] {
      return ViolationFinder(model, weights, options, lattices, inner);
    });
  });
  return violations;
}

SparseVector sum_sparse(std::span<const Violation> violations, int n_threads) {
  // Keys of a range are summed by one thread; the ranges follow one another.
  std::vector<SparseVector> sums(kKeyRanges);
  for_chunks(kKeyRanges, 1, n_threads, [&] {
    return [&](size_t range, size_t) { sum_range(violations, range, sums[range]); };
  });
  SparseVector total;
  for (const SparseVector& sum : sums) {
    total.keys.insert(total.keys.end(), sum.keys.begin(), sum.keys.end());
    total.counts.insert(total.counts.end(), sum.counts.begin(), sum.counts.end());
  }
  return total;
}

}  // namespace calque
