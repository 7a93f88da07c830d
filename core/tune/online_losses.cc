#include "tune/online_losses.h"

#include <algorithm>

namespace calque {

namespace {

// Of the first `n` candidates the one of highest gain; of equals the higher score, then the first.
size_t best_gain(const JudgedSentence& sentence, size_t n) {
  size_t best = 0;
  for (size_t row = 1; row < n; ++row) {
    const double gain = sentence.gains[row], highest = sentence.gains[best];
    if (gain > highest || (gain == highest && sentence.scores[row] > sentence.scores[best])) {
      best = row;
    }
  }
  return best;
}

// Calls each(truth, share) for the truths that an update is made of.
template <typename Each>
void for_truths(const JudgedSentence& sentence, bool all, Each each) {
  if (all && sentence.n_truths > 0) {
    const double share = 1.0 / static_cast<double>(sentence.n_truths);
    for (size_t truth = 0; truth < sentence.n_truths; ++truth) each(truth, share);
  } else {
    const size_t n = sentence.n_truths > 0 ? sentence.n_truths : sentence.scores.size();
    each(best_gain(sentence, n), 1.0);
  }
}

}  // namespace

double CostmarginLoss::operator()(const JudgedSentence& sentence, std::vector<Share>& shares) const {
  shares.clear();
  double loss = 0;
  for_truths(sentence, all_truths, [&](size_t truth, double share) {
    bool found = false;
    size_t chosen = 0;
    double highest = 0;
    for (size_t row = sentence.n_truths; row < sentence.scores.size(); ++row) {
      const double gap = sentence.gains[truth] - sentence.gains[row];
      if (!(gap > 0)) continue;
      const double margin = 1 - (sentence.scores[truth] - sentence.scores[row]);
      double worth = gap * margin;
      if (select == Select::kLoss) worth = gap * std::max(0.0, margin) * std::max(0.0, margin);
      if (select == Select::kLiteral) worth = -worth;
      if (!found || worth > highest) found = true, chosen = row, highest = worth;
    }
    if (!found) return;
    const double gap = sentence.gains[truth] - sentence.gains[chosen];
    const double margin =
        std::max(0.0, 1 - (sentence.scores[truth] - sentence.scores[chosen]));
    const double factor = share * gap * (margin_factor ? margin : 1.0);
    if (factor == 0) return;
    shares.emplace_back(truth, factor);
    shares.emplace_back(chosen, -factor);
    loss += factor * margin;
  });
  return loss;
}

double PerceptronLoss::operator()(const JudgedSentence& sentence, std::vector<Share>& shares) const {
  shares.clear();
  size_t chosen = 0;
  for (size_t row = 1; row < sentence.scores.size(); ++row) {
    const double score = sentence.scores[row], highest = sentence.scores[chosen];
    if (score > highest || (score == highest && sentence.gains[row] < sentence.gains[chosen])) {
      chosen = row;
    }
  }
  if (chosen < sentence.n_truths) return 0;
  double loss = 0;
  for_truths(sentence, all_truths, [&](size_t truth, double share) {
    if (!(sentence.gains[truth] > sentence.gains[chosen])) return;
    shares.emplace_back(truth, share);
    shares.emplace_back(chosen, -share);
    loss += share * (sentence.scores[chosen] - sentence.scores[truth]);
  });
  return loss;
}

}  // namespace calque
