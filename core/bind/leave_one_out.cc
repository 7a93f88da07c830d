#include "bind/leave_one_out.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "bind/blocks.h"
#include "error.h"

namespace calque::bind {
namespace {

LeaveOneOut::What to_what(const std::string& name) {
  if (name == "counts") return LeaveOneOut::What::kCounts;
  if (name == "one-count") return LeaveOneOut::What::kOneCountBlocks;
  throw Error("what is left out is called counts or one-count");
}

}  // namespace

BoundTrainingCorpus::BoundTrainingCorpus(nb::object corpus_owner, nb::object blocks_owner,
                                         const RuleLimits& limits)
    : corpus(corpus_owner), blocks(blocks_owner),
      training(nb::cast<const BoundCorpus&>(corpus_owner).corpus,
               nb::cast<const BoundBlockTable&>(blocks_owner).table, limits) {}

BoundLeaveOneOut::BoundLeaveOneOut(nb::object training_owner, Vector<int64_t> pair_of_each,
                                   const std::string& what, std::optional<float> unseen_log_prob,
                                   float unseen_log_prob_per_word)
    : training(training_owner), pairs(pair_of_each),
      how{&nb::cast<const BoundTrainingCorpus&>(training_owner).training, to_what(what), {}} {
  if (unseen_log_prob) how.unseen = {*unseen_log_prob, unseen_log_prob_per_word};
  const int64_t n = how.training->corpus.size();
  if (std::ranges::any_of(view(pairs), [&](int64_t pair) { return pair < -1 || pair >= n; })) {
    throw Error("a pair lies outside the training corpus");
  }
}

const LeaveOneOut* BoundLeaveOneOut::apply(SourceText& source, const ModelView& model) const {
  if (pairs.size() != source.size()) throw Error("a pair per sentence is expected, or -1");
  if (how.training->table.target_phrase.data() != model.blocks.target_phrase.data()) {
    throw Error("the training corpus is that of another block table");
  }
  source.pairs = view(pairs);
  return &how;
}

namespace {

// The share of one pair in the counts of the table: per source phrase, target phrase and block.
std::tuple<OutVector<int32_t>, OutVector<int32_t>, OutVector<int32_t>> counts_of(
    const BoundTrainingCorpus& bound, int64_t pair) {
  const TrainingCorpus& training = bound.training;
  if (pair < 0 || pair >= training.corpus.size()) {
    throw Error("a pair lies outside the training corpus");
  }
  std::vector<int32_t> sources, targets, blocks;
  {
    nb::gil_scoped_release release;
    PairCounts own(training.table, training.targets, training.limits);
    own.count(training.corpus, pair);
    for (int64_t i = 0; i < training.table.n_sources(); ++i) {
      sources.push_back(own.of_source(i));
      const auto [begin, end] = training.table.blocks(i);
      for (int64_t block = begin; block < end; ++block) {
        blocks.push_back(own.of_block(i, training.table.target_phrase[block]));
      }
    }
    for (size_t i = 0; i < training.targets.size(); ++i) {
      targets.push_back(own.of_target(static_cast<int32_t>(i)));
    }
  }
  return {to_numpy(std::move(sources)), to_numpy(std::move(targets)), to_numpy(std::move(blocks))};
}

}  // namespace

void register_leave_one_out(nb::module_& m) {
  nb::class_<BoundTrainingCorpus>(m, "TrainingCorpus", "What a block table was extracted from.")
      .def(nb::init<nb::object, nb::object, const RuleLimits&>(), nb::arg("corpus"),
           nb::arg("blocks"), nb::arg("limits"), "`limits` are those of the extraction.")
      .def("counts_of", &counts_of, nb::arg("pair"),
           "The share of a pair in the counts of source phrases, target phrases and blocks.");
  nb::class_<BoundLeaveOneOut>(m, "LeaveOneOut", "What to leave out for each sentence of a text.")
      .def(nb::init<nb::object, Vector<int64_t>, const std::string&, std::optional<float>, float>(),
           nb::arg("training"), nb::arg("pairs"), nb::arg("what"),
           nb::arg("unseen_log_prob").none(), nb::arg("unseen_log_prob_per_word"),
           "`pairs` holds the pair of every sentence, or -1; `what` is counts or one-count. A block "
           "that no other pair has gets the log probability, or is dropped where there is none.");
}

}  // namespace calque::bind
