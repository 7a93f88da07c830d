#include "align/lexicon.h"

namespace calque::align {
namespace {

Lexicon forward_rows(const PairTable& pairs, const Lexical& lexical) {
  const auto [rows, targets, cells] = pairs.arrays();
  Lexicon out{{rows.begin(), rows.end()},
              {targets.begin(), targets.end()},
              std::vector<float>(pairs.size()),
              {}};
  for (size_t p = 0; p < pairs.size(); ++p) out.probs[p] = lexical.prob(p, kForward);
  return out;
}

// Transposed: a stable counting sort by target keeps the sources of a row sorted.
Lexicon reverse_rows(const PairTable& pairs, const Lexical& lexical) {
  Lexicon out{std::vector<int64_t>(static_cast<size_t>(pairs.n_targets()) + 1),
              std::vector<int32_t>(pairs.size()), std::vector<float>(pairs.size()), {}};
  for (const int32_t target : pairs.targets()) ++out.rows[target + 1];
  for (int32_t t = 0; t < pairs.n_targets(); ++t) out.rows[t + 1] += out.rows[t];
  std::vector<int64_t> next(out.rows.begin(), out.rows.end() - 1);
  for (int32_t s = 0; s < pairs.n_sources(); ++s) {
    for (int64_t p = pairs.rows()[s]; p < pairs.rows()[s + 1]; ++p) {
      const int64_t to = next[pairs.targets()[p]]++;
      out.words[to] = s;
      out.probs[to] = lexical.prob(p, kReverse);
    }
  }
  return out;
}

}  // namespace

Lexicon lexicon(const PairTable& pairs, const Lexical& lexical, Direction direction) {
  const bool forward = direction == kForward;
  Lexicon out = forward ? forward_rows(pairs, lexical) : reverse_rows(pairs, lexical);
  const int32_t n_generated = forward ? pairs.n_targets() : pairs.n_sources();
  for (int32_t w = 0; w < n_generated; ++w) {
    out.null_probs.push_back(lexical.null_prob(w, direction));
  }
  return out;
}

}  // namespace calque::align
