// What is wrong with weights, seen from one sentence: losses for the online kernel. The readable
// forms are those of src/calque/tune/losses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace calque {

// The candidates of a sentence as a loss sees them.
struct JudgedSentence {
  std::span<const double> scores;
  std::span<const double> gains;
  size_t n_truths;  // the first ones; 0: any candidate may be the truth
};

// A candidate, and by which factor its features go into the direction of an update.
using Share = std::pair<size_t, double>;

// Which candidates should win: each of the truths, on average, or the best of them; without truths
// the best of the `near` candidates of highest score, 0: of all.
struct Targets {
  bool all_truths = false;
  int64_t near = 0;
};

// Losses give the shares of an update, none where nothing is wrong, and the loss: how wrong the
// weights are, in the unit in which a step of loss / |direction|^2 would mend it.

// Truth and alternative in a margin of 1, weighted by their difference in gain (Tillmann & Zhang
// 2008, table II and eq. 7).
struct CostmarginLoss {
  enum class Select { kLoss, kLinear, kLiteral };
  Select select = Select::kLoss;
  bool margin_factor = true;
  Targets targets;

  double operator()(const JudgedSentence& sentence, std::vector<Share>& shares) const;
};

// The choice of the weights against the truth (table III).
struct PerceptronLoss {
  Targets targets;

  double operator()(const JudgedSentence& sentence, std::vector<Share>& shares) const;
};

using OnlineLoss = std::variant<CostmarginLoss, PerceptronLoss>;

}  // namespace calque
