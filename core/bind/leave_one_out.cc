#include "bind/leave_one_out.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>

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
                                         int max_words)
    : corpus(corpus_owner), blocks(blocks_owner),
      training(nb::cast<const BoundCorpus&>(corpus_owner).corpus,
               nb::cast<const BoundBlockTable&>(blocks_owner).table, max_words) {
  if (max_words < 1) throw Error("blocks have at least one word");
}

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

void register_leave_one_out(nb::module_& m) {
  nb::class_<BoundTrainingCorpus>(m, "TrainingCorpus", "What a block table was extracted from.")
      .def(nb::init<nb::object, nb::object, int>(), nb::arg("corpus"), nb::arg("blocks"),
           nb::arg("max_words"), "`max_words` is that of the extraction.");
  nb::class_<BoundLeaveOneOut>(m, "LeaveOneOut", "What to leave out for each sentence of a text.")
      .def(nb::init<nb::object, Vector<int64_t>, const std::string&, std::optional<float>, float>(),
           nb::arg("training"), nb::arg("pairs"), nb::arg("what"),
           nb::arg("unseen_log_prob").none(), nb::arg("unseen_log_prob_per_word"),
           "`pairs` holds the pair of every sentence, or -1; `what` is counts or one-count. A block "
           "that no other pair has gets the log probability, or is dropped where there is none.");
}

}  // namespace calque::bind
