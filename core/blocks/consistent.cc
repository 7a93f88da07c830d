#include "blocks/consistent.h"

namespace calque {

void LinkGrid::assign(const SentencePair& pair) {
  const auto n_source = static_cast<int32_t>(pair.source.size());
  const auto n_target = static_cast<int32_t>(pair.target.size());
  source_extents_.assign(pair.source.size(), {n_target, -1});
  target_extents_.assign(pair.target.size(), {n_source, -1});
  starts_.assign(pair.target.size() + 2, 0);
  const auto widen = [](Extent& extent, int32_t at) {
    extent = {std::min(extent.low, at), std::max(extent.high, at)};
  };
  for (size_t i = 0; i < pair.links.size(); i += 2) {
    const int32_t source = pair.links[i], target = pair.links[i + 1];
    widen(source_extents_[source], target);
    widen(target_extents_[target], source);
    ++starts_[target + 2];
  }
  for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  sources_.resize(pair.links.size() / 2);
  for (size_t i = 0; i < pair.links.size(); i += 2) {
    sources_[starts_[pair.links[i + 1] + 1]++] = pair.links[i];
  }
}

bool LinkGrid::linked(int32_t source, int32_t target) const {
  if (source == -1 && target == -1) return true;
  if (source == n_source() && target == n_target()) return true;
  if (source < 0 || target < 0 || source >= n_source() || target >= n_target()) return false;
  const auto sources = sources_of(target);
  return std::find(sources.begin(), sources.end(), source) != sources.end();
}

}  // namespace calque
