#include "decode/phrase/bag.h"

#include <algorithm>
#include <optional>

#include "error.h"
#include "parallel.h"

namespace calque {
namespace {

// A number from 0 to n - 1, from 64 random bits.
int64_t below(uint64_t random, int64_t n) {
  return static_cast<int64_t>((random >> 32) * static_cast<uint64_t>(n) >> 32);
}

// What is drawn for one sentence after the other. One per thread.
class BagOfBlocks {
 public:
  BagOfBlocks(const ModelView& model, const LeaveOneOut* leave_one_out) : model_(model) {
    if (leave_one_out != nullptr) left_out_.emplace(*leave_one_out);
  }

  void draw(const SentenceView& sentence, uint64_t random, SparseVector& features,
            std::vector<int32_t>& words) {
    if (left_out_) left_out_->begin(sentence.pair);
    FiredFeatures fired(model_.sparse(), sentence);
    const int n = sentence.size(), longest = std::max(1, model_.blocks.max_source_words);
    for (int begin = 0; begin < n; ++begin) {
      uint64_t hash = kEmptyPhraseHash;
      for (int end = begin + 1; end <= std::min(n, begin + longest); ++end) {
        hash = extend_hash(hash, sentence.words[static_cast<size_t>(end - 1)]);
        const int64_t phrase = find(sentence, begin, end, hash);
        StepView step;
        step.begin = begin;
        step.end = end;
        if (phrase >= 0) {
          const uint64_t span = static_cast<uint64_t>(begin) << 32 | static_cast<uint32_t>(end);
          step.row = draw_block(phrase, mix(random ^ mix(span)));
          step.target = model_.blocks.target(step.row);
        } else if (end == begin + 1) {
          step.target = sentence.copies.subspan(static_cast<size_t>(begin), 1);
        } else {
          continue;
        }
        step.values = fired.block(begin, end, step.target);
        for (const Scope scope : {Scope::kPhrase, Scope::kBlock, Scope::kSpan, Scope::kOption}) {
          fired.add(scope, step);
        }
        words.insert(words.end(), step.target.begin(), step.target.end());
      }
    }
    features = fired.counted();
  }

 private:
  bool leaves_out() const { return left_out_ && left_out_->is_active(); }

  // The source phrase that has blocks for this span, or -1.
  int64_t find(const SentenceView& sentence, int begin, int end, uint64_t hash) const {
    const auto words =
        sentence.words.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
    const int64_t phrase = model_.blocks.find(words, hash);
    return phrase >= 0 && leaves_out() && left_out_->forgets(phrase) ? -1 : phrase;
  }

  int64_t draw_block(int64_t phrase, uint64_t random) {
    const auto [first, last] = model_.blocks.blocks(phrase);
    if (!leaves_out()) return first + below(random, last - first);
    left_.clear();
    for (int64_t block = first; block < last; ++block) {
      if (left_out_->change(phrase, block)) left_.push_back(block);
    }
    return left_[static_cast<size_t>(below(random, static_cast<int64_t>(left_.size())))];
  }

  ModelView model_;
  std::optional<PairLeftOut> left_out_;
  std::vector<int64_t> left_;  // blocks of a phrase that other pairs have, too
};

}  // namespace

Bags draw_bags(const ModelView& model, const SourceText& source, uint64_t seed, uint64_t first,
               const LeaveOneOut* leave_one_out, int n_threads) {
  const TemplateSet& set = model.sparse();
  if (set.empty()) throw Error("bags of blocks have sparse features only: the model has none");
  for (const Scope scope : kScopesOfSearch) {
    if (set.has(scope)) throw Error("a bag of blocks has no features that look beyond a block");
  }
  std::vector<SparseVector> features(source.size());
  std::vector<std::vector<int32_t>> words(source.size());
  for_chunks(source.size(), 1, n_threads, [&] {
    return [&, bag = BagOfBlocks(model, leave_one_out)](size_t at, size_t) mutable {
      bag.draw(source.sentence(at), mix(mix(seed) + first + at), features[at], words[at]);
    };
  });
  Bags bags;
  for (size_t at = 0; at < source.size(); ++at) {
    bags.features.add(features[at]);
    bags.words.insert(bags.words.end(), words[at].begin(), words[at].end());
    bags.word_offsets.push_back(static_cast<int64_t>(bags.words.size()));
  }
  return bags;
}

}  // namespace calque
