#include "blocks/link_counts.h"

#include <algorithm>

#include "blocks/gaps.h"
#include "blocks/record.h"
#include "error.h"
#include "interrupt.h"

namespace calque {
namespace {

size_t n_words(std::span<const int32_t> ids) {
  return ids.empty() ? 0 : static_cast<size_t>(*std::max_element(ids.begin(), ids.end())) + 1;
}

// The null word is none.
size_t n_words(std::span<const uint32_t> ids) {
  size_t n = 0;
  for (const uint32_t id : ids) {
    if (id != LinkCounts::kNull) n = std::max(n, size_t{id} + 1);
  }
  return n;
}

}  // namespace

LinkCounts::LinkCounts(const AlignedCorpus& corpus)
    : source_totals_(n_words(corpus.source) + 1),
      target_totals_(n_words(corpus.target) + 1) {
  std::vector<bool> source_linked, target_linked;
  for (int64_t row = 0; row < corpus.n_sets() * corpus.size(); ++row) {
    end_if_interrupted();
    const SentencePair pair = corpus.row(row);
    source_linked.assign(pair.source.size(), false);
    target_linked.assign(pair.target.size(), false);
    for (size_t at = 0; at < pair.links.size(); at += 2) {
      const int32_t s = pair.links[at], t = pair.links[at + 1];
      source_linked[s] = target_linked[t] = true;
      add(static_cast<uint32_t>(pair.source[s]), static_cast<uint32_t>(pair.target[t]), 1);
    }
    for (size_t s = 0; s < pair.source.size(); ++s) {
      if (!source_linked[s]) add(static_cast<uint32_t>(pair.source[s]), kNull, 1);
    }
    for (size_t t = 0; t < pair.target.size(); ++t) {
      if (!target_linked[t]) add(kNull, static_cast<uint32_t>(pair.target[t]), 1);
    }
  }
}

LinkCounts::LinkCounts(std::span<const uint32_t> sources, std::span<const uint32_t> targets,
                       std::span<const int64_t> counts)
    : source_totals_(n_words(sources) + 1), target_totals_(n_words(targets) + 1) {
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] <= 0) throw Error("a count of links is not positive");
    add(sources[i], targets[i], counts[i]);
  }
}

void LinkCounts::add(uint32_t source, uint32_t target, int64_t count) {
  counts_(source, target) += count;
  (source == kNull ? source_totals_.back() : source_totals_[source]) += count;
  (target == kNull ? target_totals_.back() : target_totals_[target]) += count;
}

double lexical_target_given_source(const LinkCounts& counts, std::span<const int32_t> source,
                                   std::span<const int32_t> target, uint64_t links) {
  double weight = 1;
  for (size_t t = 0; t < target.size(); ++t) {
    if (is_gap(target[t])) continue;
    const auto word = static_cast<uint32_t>(target[t]);
    double sum = 0;
    int n_links = 0;
    for (size_t s = 0; s < source.size(); ++s) {
      if ((links >> (kMaxWords * t + s) & 1) == 0) continue;
      sum += counts.target_given_source(static_cast<uint32_t>(source[s]), word);
      ++n_links;
    }
    weight *= n_links > 0 ? sum / n_links : counts.target_given_source(LinkCounts::kNull, word);
  }
  return weight;
}

double lexical_source_given_target(const LinkCounts& counts, std::span<const int32_t> source,
                                   std::span<const int32_t> target, uint64_t links) {
  double weight = 1;
  for (size_t s = 0; s < source.size(); ++s) {
    if (is_gap(source[s])) continue;
    const auto word = static_cast<uint32_t>(source[s]);
    double sum = 0;
    int n_links = 0;
    for (size_t t = 0; t < target.size(); ++t) {
      if ((links >> (kMaxWords * t + s) & 1) == 0) continue;
      sum += counts.source_given_target(word, static_cast<uint32_t>(target[t]));
      ++n_links;
    }
    weight *= n_links > 0 ? sum / n_links : counts.source_given_target(word, LinkCounts::kNull);
  }
  return weight;
}

}  // namespace calque
