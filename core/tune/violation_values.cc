#include "tune/violation_values.h"

#include <map>
#include <vector>

namespace calque {

void subtract(const SparseVector& a, const SparseVector& b, SparseVector& to) {
  size_t i = 0, j = 0;
  const auto put = [&](uint64_t key, float value) {
    if (value == 0) return;
    to.keys.push_back(key);
    to.counts.push_back(value);
  };
  while (i < a.keys.size() || j < b.keys.size()) {
    if (j == b.keys.size() || (i < a.keys.size() && a.keys[i] < b.keys[j])) {
      put(a.keys[i], a.counts[i]);
      ++i;
    } else if (i == a.keys.size() || b.keys[j] < a.keys[i]) {
      put(b.keys[j], -b.counts[j]);
      ++j;
    } else {
      put(a.keys[i], a.counts[i] - b.counts[j]);
      ++i;
      ++j;
    }
  }
}

OracleBleu::Matches matches(std::span<const int32_t> words, std::span<const int32_t> reference) {
  OracleBleu::Matches found{};
  for (size_t n = 1; n <= found.size(); ++n) {
    std::map<std::vector<int32_t>, int> left;
    for (size_t i = 0; i + n <= reference.size(); ++i) {
      const auto ngram = reference.subspan(i, n);
      ++left[{ngram.begin(), ngram.end()}];
    }
    for (size_t i = 0; i + n <= words.size(); ++i) {
      const auto ngram = words.subspan(i, n);
      const auto at = left.find({ngram.begin(), ngram.end()});
      if (at != left.end() && at->second-- > 0) ++found[n - 1];
    }
  }
  return found;
}

}  // namespace calque
