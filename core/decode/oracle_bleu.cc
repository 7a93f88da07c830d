#include "decode/oracle_bleu.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace calque {

OracleBleu::OracleBleu(std::span<const int> reference_lengths, bool brevity_penalty, int most_words)
    : lengths_(reference_lengths.begin(), reference_lengths.end()),
      brevity_penalty_(brevity_penalty),
      logs_(static_cast<size_t>(most_words) + 2) {
  std::ranges::sort(lengths_);
  for (size_t i = 0; i < logs_.size(); ++i) logs_[i] = std::log(static_cast<double>(i));
}

double OracleBleu::operator()(const Matches& matches, int length, double share) const {
  if (matches[0] == 0) return 0;
  const auto log = [&](int i) {
    const auto at = static_cast<size_t>(i);
    return at < logs_.size() ? logs_[at] : std::log(static_cast<double>(i));
  };
  double log_sum = log(matches[0]) - log(length);
  for (int n = 2; n <= ReferenceNgrams::kOrder; ++n) {
    const int total = std::max(0, length - n + 1);
    log_sum += log(matches[static_cast<size_t>(n - 1)] + 1) - log(total + 1);
  }
  double log_bleu = log_sum / ReferenceNgrams::kOrder;
  if (brevity_penalty_) {
    double closest = std::numeric_limits<double>::infinity();
    for (const int reference : lengths_) {
      const double wanted = share * reference;
      if (std::abs(wanted - length) < std::abs(closest - length)) closest = wanted;
    }
    log_bleu += std::min(0.0, 1 - closest / length);
  }
  return std::exp(log_bleu);
}

}  // namespace calque
