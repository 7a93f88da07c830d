#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include "align/aligner.h"
#include "align/lexicon.h"
#include "align/pharaoh.h"
#include "align/sampler.h"
#include "align/symmetrize.h"
#include "bind/arrays.h"
#include "bind/register.h"
#include "checks.h"
#include "error.h"

namespace calque::bind {
namespace {

using namespace calque::align;

using LinkArray = nb::ndarray<const int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using OutLinks = nb::ndarray<nb::numpy, int32_t, nb::shape<-1, 2>>;
using Sides = std::pair<OutVector<int32_t>, OutVector<int32_t>>;

static_assert(sizeof(Link) == 2 * sizeof(int32_t));

std::span<const Link> links_of(const LinkArray& array) {
  return {reinterpret_cast<const Link*>(array.data()), array.shape(0)};
}

OutLinks to_numpy(std::vector<Link>&& links) {
  auto* kept = new std::vector<Link>(std::move(links));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Link>*>(p); });
  return OutLinks(reinterpret_cast<int32_t*>(kept->data()), {kept->size(), 2}, owner);
}

void check_pairs(const Vector<int64_t>& source_offsets, const Vector<int64_t>& target_offsets) {
  if (source_offsets.size() == 0) throw Error("offsets have at least one entry");
  check_size(target_offsets.size(), source_offsets.size(), "offsets of the target sentences");
}

Bitext to_bitext(const Vector<int32_t>& source, const Vector<int64_t>& source_offsets,
                 const Vector<int32_t>& target, const Vector<int64_t>& target_offsets) {
  check_pairs(source_offsets, target_offsets);
  check_offsets(view(source_offsets), source.size(), "source words");
  check_offsets(view(target_offsets), target.size(), "target words");
  check_ids(view(source), "source words");
  check_ids(view(target), "target words");
  return {view(source), view(target), view(source_offsets), view(target_offsets)};
}

Symmetrization to_method(std::string_view name) {
  if (name == "intersection") return Symmetrization::intersection;
  if (name == "union") return Symmetrization::union_;
  if (name == "grow-diag") return Symmetrization::grow_diag;
  if (name == "grow-diag-final") return Symmetrization::grow_diag_final;
  if (name == "grow-diag-final-and") return Symmetrization::grow_diag_final_and;
  throw nb::value_error("unknown symmetrization");
}

template <typename Step>
auto released(Step step) {
  nb::gil_scoped_release release;
  return step();
}

std::pair<OutLinks, OutVector<int64_t>> symmetrize_all(
    const LinkArray& forward, const Vector<int64_t>& forward_offsets, const LinkArray& reverse,
    const Vector<int64_t>& reverse_offsets, const Vector<int64_t>& source_offsets,
    const Vector<int64_t>& target_offsets, std::string_view method) {
  const Symmetrization kind = to_method(method);
  check_pairs(source_offsets, target_offsets);
  check_size(forward_offsets.size(), source_offsets.size(), "offsets of the forward links");
  check_size(reverse_offsets.size(), source_offsets.size(), "offsets of the reverse links");
  auto found = released([&] {
    check_offsets(view(forward_offsets), forward.shape(0), "forward links");
    check_offsets(view(reverse_offsets), reverse.shape(0), "reverse links");
    return symmetrize({links_of(forward), view(forward_offsets)},
                      {links_of(reverse), view(reverse_offsets)}, view(source_offsets),
                      view(target_offsets), kind);
  });
  return {to_numpy(std::move(found.links)), bind::to_numpy(std::move(found.offsets))};
}

// Probabilities of pairs, those given the null word and weights of jumps, by direction; and their
// counts.
using Parameters = std::tuple<OutVector<float>, OutVector<float>, OutVector<float>,
                              OutVector<float>, OutVector<float>>;
using GivenParameters =
    std::tuple<Vector<float>, Vector<float>, Vector<float>, Vector<float>, Vector<float>>;
using PartCounts = std::tuple<OutVector<int64_t>, OutVector<int64_t>, OutVector<int64_t>,
                              OutVector<int64_t>, OutVector<int64_t>>;
using GivenCounts = std::tuple<Vector<int64_t>, Vector<int64_t>, Vector<int64_t>, Vector<int64_t>,
                               Vector<int64_t>>;

using OutPairs = std::tuple<OutVector<int64_t>, OutVector<int32_t>, OutVector<uint32_t>>;
using GivenPairs = std::tuple<Vector<int64_t>, Vector<int32_t>, Vector<uint32_t>>;

OutPairs pair_arrays(const Vector<int32_t>& source, const Vector<int64_t>& source_offsets,
                     const Vector<int32_t>& target, const Vector<int64_t>& target_offsets,
                     int32_t max_words, int threads) {
  std::vector<int64_t> rows;
  std::vector<int32_t> targets;
  std::vector<uint32_t> cells;
  released([&] {
    const PairTable table(to_bitext(source, source_offsets, target, target_offsets), max_words,
                          threads);
    rows.assign(table.arrays().rows.begin(), table.arrays().rows.end());
    targets.assign(table.arrays().targets.begin(), table.arrays().targets.end());
    cells.assign(table.arrays().cells.begin(), table.arrays().cells.end());
    return 0;
  });
  return {bind::to_numpy(std::move(rows)), bind::to_numpy(std::move(targets)),
          bind::to_numpy(std::move(cells))};
}

OutVector<int64_t> numbers_of(const Aligner& a, const Vector<int64_t>& rows,
                              const Vector<int32_t>& targets) {
  return bind::to_numpy(released([&] { return a.pairs().numbers_of(view(rows), view(targets)); }));
}

std::vector<float> in_a_row(const Jumps& jumps) {
  std::vector<float> weights(jumps.within().begin(), jumps.within().end());
  weights.insert(weights.end(), jumps.start().begin(), jumps.start().end());
  return weights;
}

Parameters parameters(const Aligner& a, const Vector<int64_t>& pairs) {
  auto probs = released([&] {
    check_ids(view(pairs), static_cast<int64_t>(a.pairs().size()), "pairs of words");
    return a.lexical().probs(view(pairs));
  });
  const auto null = [&](Direction direction) {
    return bind::to_numpy(std::vector<float>(a.lexical().null_probs(direction)));
  };
  return {bind::to_numpy(std::move(probs)), null(kForward), null(kReverse),
          bind::to_numpy(in_a_row(a.jumps(kForward))), bind::to_numpy(in_a_row(a.jumps(kReverse)))};
}

void set_parameters(Aligner& a, const GivenParameters& given) {
  const auto& [probs, null_forward, null_reverse, jumps_forward, jumps_reverse] = given;
  check_size(probs.size(), 2 * a.pairs().size(), "probabilities of pairs of words");
  if (null_forward.size() < a.lexical().null_probs(kForward).size() ||
      null_reverse.size() < a.lexical().null_probs(kReverse).size()) {
    throw Error("expected a probability given the null word for every word");
  }
  const auto jumps = [&](const Vector<float>& weights) {
    const size_t n = a.jumps(kForward).within().size();
    check_size(weights.size(), n + a.jumps(kForward).start().size(), "weights of jumps");
    return Jumps(view(weights).first(n), view(weights).subspan(n));
  };
  const std::array both{jumps(jumps_forward), jumps(jumps_reverse)};
  released([&] {
    a.set_parameters(view(probs), {view(null_forward), view(null_reverse)}, both);
    return 0;
  });
}

PartCounts to_python(ExpectedCounts&& counts) {
  auto& [pairs, null, jumps] = counts;
  return {bind::to_numpy(std::move(pairs)), bind::to_numpy(std::move(null[kForward])),
          bind::to_numpy(std::move(null[kReverse])), bind::to_numpy(std::move(jumps[kForward])),
          bind::to_numpy(std::move(jumps[kReverse]))};
}

PartCounts count_model1(Aligner& a, int threads, bool null_is_position) {
  return to_python(released([&] { return a.count_model1(null_is_position, threads); }));
}

PartCounts count_hmm(Aligner& a, bool agreement, int threads) {
  return to_python(released([&] { return a.count_hmm(agreement, threads); }));
}

void add_counts(Aligner& a, const Vector<int64_t>& pairs, const GivenCounts& counts) {
  const auto& [of_pairs, null_forward, null_reverse, jumps_forward, jumps_reverse] = counts;
  check_size(of_pairs.size(), 2 * pairs.size(), "counts of pairs of words");
  if (null_forward.size() > a.lexical().null_probs(kForward).size() ||
      null_reverse.size() > a.lexical().null_probs(kReverse).size()) {
    throw Error("expected counts given the null word of words of the bitext");
  }
  check_size(jumps_forward.size(), a.n_jump_counts(), "counts of jumps");
  check_size(jumps_reverse.size(), a.n_jump_counts(), "counts of jumps");
  released([&] {
    check_ids(view(pairs), static_cast<int64_t>(a.pairs().size()), "pairs of words");
    a.add_counts(view(pairs), {view(of_pairs),
                               {view(null_forward), view(null_reverse)},
                               {view(jumps_forward), view(jumps_reverse)}});
    return 0;
  });
}

void register_aligner(nb::module_& m) {
  nb::class_<Aligner>(m, "Aligner", "Model 1 and HMM aligners of a bitext, in both directions.")
      .def(
          "__init__",
          [](Aligner* self, const Vector<int32_t>& source, const Vector<int64_t>& source_offsets,
             const Vector<int32_t>& target, const Vector<int64_t>& target_offsets,
             double null_prob, double alpha, double tension, double jump_smoothing,
             int32_t jump_width, int32_t max_words, int threads,
             const std::optional<GivenPairs>& pairs) {
            const AlignerOptions options{null_prob,      alpha,      tension,
                                         jump_smoothing, jump_width, max_words};
            nb::gil_scoped_release release;
            const Bitext bitext = to_bitext(source, source_offsets, target, target_offsets);
            std::optional<PairTable::Arrays> arrays;
            if (pairs) {
              const auto& [rows, targets, cells] = *pairs;
              arrays = {view(rows), view(targets), view(cells)};
            }
            new (self) Aligner(bitext, options, threads, arrays);
          },
          nb::arg("source").noconvert(), nb::arg("source_offsets").noconvert(),
          nb::arg("target").noconvert(), nb::arg("target_offsets").noconvert(), nb::kw_only(),
          nb::arg("null_prob"), nb::arg("alpha"), nb::arg("tension"), nb::arg("jump_smoothing"),
          nb::arg("jump_width"), nb::arg("max_words"), nb::arg("threads"),
          nb::arg("pairs").noconvert() = nb::none(), nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
          nb::keep_alive<1, 13>(), "`pairs`: what `pair_arrays` found for this bitext.")
      .def_prop_ro("n_pairs", [](const Aligner& a) { return a.pairs().size(); })
      .def(
          "model1_step",
          [](Aligner& a, int threads, bool null_is_position) {
            return released([&] { return a.model1_step(null_is_position, threads); });
          },
          nb::arg("threads"), nb::arg("null_is_position") = false,
          "One iteration of EM for Model 1; log-likelihoods before it, forward and reverse. The null "
          "word has the probability `null_prob`, or is as likely as any position.")
      .def(
          "hmm_step",
          [](Aligner& a, bool agreement, int threads) {
            return released([&] { return a.hmm_step(agreement, threads); });
          },
          nb::arg("agreement"), nb::arg("threads"),
          "One iteration of EM for the HMM; log-likelihoods before it, forward and reverse.")
      .def(
          "best_paths",
          [](const Aligner& a, int threads) -> Sides {
            auto [forward, reverse] = released([&] { return a.best_paths(threads); });
            return {bind::to_numpy(std::move(forward)), bind::to_numpy(std::move(reverse))};
          },
          nb::arg("threads"),
          "Source position of every target word and target position of every source word; -1: none.")
      .def("numbers_of", &numbers_of, nb::arg("rows"), nb::arg("targets"),
           "The pairs of words of some of the sentences (`pair_arrays`), as numbered here.")
      .def("parameters", &parameters, nb::arg("pairs"),
           "What an aligner of the sentences that meet these pairs is given by `set_parameters`.")
      .def("set_parameters", &set_parameters, nb::arg("parameters"), "Take what another gave.")
      .def("count_model1", &count_model1, nb::arg("threads"), nb::arg("null_is_position") = false,
           "The counts of `model1_step`, as integers, without a step.")
      .def("count_hmm", &count_hmm, nb::arg("agreement"), nb::arg("threads"),
           "The counts of `hmm_step`, as integers, without a step.")
      .def("add_counts", &add_counts, nb::arg("pairs"), nb::arg("counts"),
           "Add the counts of a part that meets these pairs.")
      .def(
          "estimate",
          [](Aligner& a, bool with_jumps, int threads) {
            released([&] {
              a.estimate(with_jumps, threads);
              return 0;
            });
          },
          nb::arg("with_jumps"), nb::arg("threads"), "A step by the counts that were added.")
      .def(
          "lexicon",
          [](const Aligner& a, bool reverse) {
            Lexicon rows = released([&] {
              return lexicon(a.pairs(), a.lexical(), reverse ? kReverse : kForward);
            });
            return std::tuple(bind::to_numpy(std::move(rows.rows)),
                              bind::to_numpy(std::move(rows.words)),
                              bind::to_numpy(std::move(rows.probs)),
                              bind::to_numpy(std::move(rows.null_probs)));
          },
          nb::arg("reverse"),
          "Row offsets, generated words, their probabilities, and those given the null word.")
      .def(
          "jumps",
          [](const Aligner& a, bool reverse) {
            const Jumps& jumps = a.jumps(reverse ? kReverse : kForward);
            return std::pair(
                bind::to_numpy(std::vector<float>(jumps.within().begin(), jumps.within().end())),
                bind::to_numpy(std::vector<float>(jumps.start().begin(), jumps.start().end())));
          },
          nb::arg("reverse"), "Weights of jumps by distance, and of first positions.");
}

// A bitext with its table of word pairs, for the samplers of both directions.
struct WordPairs {
  Bitext bitext;
  PairTable table;
  int32_t max_words;
};

SamplerStage to_stage(std::string_view name) {
  if (name == "model1") return SamplerStage::kModel1;
  if (name == "hmm") return SamplerStage::kHmm;
  if (name == "fertility") return SamplerStage::kFertility;
  throw nb::value_error("unknown stage");
}

void register_pairs(nb::module_& m) {
  m.def("pair_arrays", &pair_arrays, nb::arg("source").noconvert(),
        nb::arg("source_offsets").noconvert(), nb::arg("target").noconvert(),
        nb::arg("target_offsets").noconvert(), nb::kw_only(), nb::arg("max_words"),
        nb::arg("threads"),
        "The word pairs of a bitext that share a sentence pair: where those of each source word"
        " begin, their target words, and the place of every cell's pair among those of its source"
        " word.");
}

void register_sampler(nb::module_& m) {
  nb::class_<WordPairs>(m, "WordPairs", "The word pairs of a bitext that share a sentence pair.")
      .def(
          "__init__",
          [](WordPairs* self, const Vector<int32_t>& source, const Vector<int64_t>& source_offsets,
             const Vector<int32_t>& target, const Vector<int64_t>& target_offsets,
             int32_t max_words, int threads, const std::optional<GivenPairs>& pairs) {
            nb::gil_scoped_release release;
            const Bitext bitext = to_bitext(source, source_offsets, target, target_offsets);
            if (pairs) {
              const auto& [rows, targets, cells] = *pairs;
              const PairTable::Arrays arrays{view(rows), view(targets), view(cells)};
              new (self) WordPairs{bitext, PairTable(bitext, max_words, arrays), max_words};
            } else {
              new (self) WordPairs{bitext, PairTable(bitext, max_words, threads), max_words};
            }
          },
          nb::arg("source").noconvert(), nb::arg("source_offsets").noconvert(),
          nb::arg("target").noconvert(), nb::arg("target_offsets").noconvert(), nb::kw_only(),
          nb::arg("max_words"), nb::arg("threads"), nb::arg("pairs").noconvert() = nb::none(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
          nb::keep_alive<1, 5>(), nb::keep_alive<1, 8>(),
          "`pairs`: what `pair_arrays` found for this bitext.")
      .def("__len__", [](const WordPairs& pairs) { return pairs.table.size(); });
  nb::class_<LinkSampler>(m, "LinkSampler", "Word links of a bitext, drawn in one direction.")
      .def(
          "__init__",
          [](LinkSampler* self, const WordPairs& pairs, bool reverse, double null_prob,
             double lexical_prior, double null_prior, double jump_prior, double fertility_prior,
             int32_t jump_width, int32_t chains, int32_t first_chain, int64_t batch,
             uint64_t seed) {
            if (!(null_prob >= 0 && null_prob < 1)) throw Error("null_prob: expected 0 to below 1");
            for (const double prior : {lexical_prior, null_prior, jump_prior, fertility_prior}) {
              if (!(prior > 0)) throw Error("priors of a sampler: expected numbers above 0");
            }
            if (jump_width < 1 || chains < 1 || first_chain < 0 || batch < 0) {
              throw Error(
                  "jump_width, chains: expected at least 1; first_chain, batch: at least 0");
            }
            const SamplerOptions options{null_prob,  lexical_prior,   null_prior,
                                         jump_prior, fertility_prior, jump_width,
                                         pairs.max_words, chains,     first_chain,
                                         batch,           seed};
            nb::gil_scoped_release release;
            new (self) LinkSampler(pairs.bitext, pairs.table, reverse ? kReverse : kForward,
                                   options);
          },
          nb::arg("pairs"), nb::kw_only(), nb::arg("reverse"), nb::arg("null_prob"),
          nb::arg("lexical_prior"), nb::arg("null_prior"), nb::arg("jump_prior"),
          nb::arg("fertility_prior"), nb::arg("jump_width"), nb::arg("chains"),
          nb::arg("first_chain") = 0, nb::arg("batch"), nb::arg("seed"), nb::keep_alive<1, 2>(),
          "`first_chain`: the number of the first chain, of those that several samplers draw."
          " `batch`: sentence pairs that do not see each other's moves; 0: by corpus size.")
      .def(
          "sweep",
          [](LinkSampler& sampler, std::string_view stage, bool record, int threads) {
            const SamplerStage kind = to_stage(stage);
            nb::gil_scoped_release release;
            sampler.sweep(kind, record, threads);
          },
          nb::arg("stage"), nb::arg("record"), nb::arg("threads"),
          "Draw every link once by model1, hmm or fertility; `record` adds to the marginals.")
      .def(
          "links",
          [](const LinkSampler& sampler, int32_t chain) {
            return bind::to_numpy(sampler.links(chain));
          },
          nb::arg("chain"), "Position that each generated word now comes from; -1: none.")
      .def(
          "best_links",
          [](const LinkSampler& sampler) {
            return bind::to_numpy(released([&] { return sampler.best_links(); }));
          },
          "Position that each generated word most probably comes from, as recorded; -1: none.")
      .def(
          "marginals",
          [](const LinkSampler& sampler) {
            return bind::to_numpy(released([&] { return sampler.marginals(); }));
          },
          "Recorded probability of each cell (generated, given) of all sentence pairs.")
      .def(
          "take_marginals",
          [](LinkSampler& sampler) { return bind::to_numpy(sampler.take_marginals()); },
          "The sums of what was recorded, which several samplers may add up; none are left here.");
  m.def(
      "best_links",
      [](const WordPairs& pairs, bool reverse, const Vector<uint32_t>& marginals,
         int64_t n_recorded) {
        check_size(marginals.size(), pairs.table.n_cells(), "marginals");
        return bind::to_numpy(released([&] {
          return best_links(pairs.bitext, pairs.table, reverse ? kReverse : kForward,
                            view(marginals), n_recorded);
        }));
      },
      nb::arg("pairs"), nb::arg("reverse"), nb::arg("marginals"), nb::arg("n_recorded"),
      "What `LinkSampler.best_links` says of marginals that were taken and added up.");
}

// One sentence pair: emissions [step, state] in, what the HMM makes of it out.
void register_hmm(nb::module_& m) {
  const auto load = [](const Matrix<float>& emission, const Vector<float>& null_emission) {
    Trellis trellis;
    trellis.shape(emission.shape(0), emission.shape(1));
    std::copy_n(emission.data(), emission.size(), trellis.emission.begin());
    std::copy_n(null_emission.data(), null_emission.size(), trellis.null_emission.begin());
    return trellis;
  };
  m.def(
      "hmm_posteriors",
      [load](const Matrix<float>& emission, const Vector<float>& null_emission,
             const Vector<float>& within, const Vector<float>& start, double null_prob) {
        Trellis trellis = load(emission, null_emission);
        const Jumps jumps(view(within), view(start));
        JumpSums sums(jumps.width());
        const double log_prob = Hmm().posteriors(trellis, jumps, null_prob, sums);
        return std::tuple(log_prob, bind::to_numpy(std::move(trellis.posterior)),
                          bind::to_numpy(std::move(trellis.null_posterior)),
                          bind::to_numpy(std::move(sums.within)),
                          bind::to_numpy(std::move(sums.start)));
      },
      nb::arg("emission"), nb::arg("null_emission"), nb::arg("within"), nb::arg("start"),
      nb::arg("null_prob"),
      "Log probability, posteriors (flat), null posteriors, expected jumps and first positions.");
  m.def(
      "hmm_best_path",
      [load](const Matrix<float>& emission, const Vector<float>& null_emission,
             const Vector<float>& within, const Vector<float>& start, double null_prob) {
        std::vector<int32_t> states(emission.shape(0));
        Hmm().best_path(load(emission, null_emission), Jumps(view(within), view(start)), null_prob,
                        states);
        return bind::to_numpy(std::move(states));
      },
      nb::arg("emission"), nb::arg("null_emission"), nb::arg("within"), nb::arg("start"),
      nb::arg("null_prob"), "The most probable state of every step; -1: null.");
}

}  // namespace

void register_align(nb::module_& m) {
  register_aligner(m);
  register_hmm(m);
  register_pairs(m);
  register_sampler(m);
  m.def("exp_digamma", &exp_digamma, nb::arg("x"), "exp(digamma(x)) for x > 0.");
  m.def("symmetrize", &symmetrize_all, nb::arg("forward"), nb::arg("forward_offsets"),
        nb::arg("reverse"), nb::arg("reverse_offsets"), nb::arg("source_offsets"),
        nb::arg("target_offsets"), nb::arg("method"),
        "Links and offsets of the symmetrised alignments.");
  m.def(
      "parse_pharaoh",
      [](std::string_view text, const Vector<int64_t>& source_offsets,
         const Vector<int64_t>& target_offsets) {
        check_pairs(source_offsets, target_offsets);
        auto parsed = released(
            [&] { return parse_pharaoh(text, view(source_offsets), view(target_offsets)); });
        return std::tuple(to_numpy(std::move(parsed.links)),
                          bind::to_numpy(std::move(parsed.offsets)), parsed.bad_line,
                          parsed.problem);
      },
      nb::arg("text"), nb::arg("source_offsets"), nb::arg("target_offsets"),
      "Links, offsets, the first bad line (from 0; -1: none) and what is wrong with it.");
  m.def(
      "format_pharaoh",
      [](const LinkArray& links, const Vector<int64_t>& offsets) {
        return released([&] {
          check_offsets(view(offsets), links.shape(0), "links");
          return format_pharaoh(links_of(links), view(offsets));
        });
      },
      nb::arg("links"), nb::arg("offsets"), "One line of source-target links per sentence.");
}

}  // namespace calque::bind
