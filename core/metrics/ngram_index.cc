#include "metrics/ngram_index.h"

#include <algorithm>
#include <bit>

namespace calque {

void NgramIndex::add_group(std::span<const std::span<const int32_t>> sequences) {
  growing_.clear();
  std::vector<uint64_t> keys;  // of node i + 1
  std::vector<int32_t> most, here;
  for (const auto sequence : sequences) {
    std::fill(here.begin(), here.end(), 0);
    for (size_t begin = 0; begin < sequence.size(); ++begin) {
      uint32_t at = 0;
      const size_t n_symbols = std::min(sequence.size() - begin, static_cast<size_t>(order_));
      for (size_t n = 0; n < n_symbols; ++n) {
        const uint64_t edge = key(at, sequence[begin + n]);
        if (const uint32_t* found = growing_.find(edge)) {
          at = *found;
        } else {
          keys.push_back(edge);
          at = static_cast<uint32_t>(keys.size());
          growing_.insert(edge, at);
          here.push_back(0);
          most.push_back(0);
        }
        ++here[at - 1];
      }
    }
    for (size_t i = 0; i < here.size(); ++i) most[i] = std::max(most[i], here[i]);
  }
  counts_.insert(counts_.end(), most.begin(), most.end());
  nodes_.push_back(counts_.size());

  const size_t n_slots = std::bit_ceil(2 * keys.size() + 1);
  const size_t first = slots_.size();
  slots_.resize(first + n_slots);
  for (size_t i = 0; i < keys.size(); ++i) {
    size_t at = mix(keys[i]) & (n_slots - 1);
    while (slots_[first + at].node != 0) at = (at + 1) & (n_slots - 1);
    slots_[first + at] = {keys[i], static_cast<uint32_t>(i + 1)};
  }
  slot_begins_.push_back(slots_.size());
}

}  // namespace calque
