// Which source span may be translated next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "decode/phrase/coverage.h"
#include "decode/phrase/options.h"
#include "decode/phrase/step_orientation.h"

namespace calque {

enum class Reordering : int32_t {
  kMonotone,  // left to right
  kSwap,      // a block may be left out if the block after the next one takes it up
  kPhrase,    // any free span within the distortion limit
};

// What the distortion limit bounds.
enum class DistortionRule : int32_t {
  kWindow,  // the jump, and how far a block may end from the first gap: it can always be filled next
  kJump,    // the jump alone: a hypothesis may be a dead end (completion.h)
};

struct ReorderingRules {
  Reordering kind;
  int distortion_limit;            // kPhrase: most words from the end of a block to the next; -1: any
  DistortionRule distortion_rule;  // kPhrase
  bool strict_single_gap;          // kSwap: what lies before a jump is one single block
  int least_left_count;            // kSwap: events on the left of a block that may follow there
  Start start;

  // Calls visit(begin, end) for every span that has options and may follow a block that ended at
  // `last_end`. Every hypothesis reached this way can be completed, unless it `has_dead_ends`.
  template <typename Visit>
  void for_each_span(const OptionTable& table, const Coverage& covered, int last_end,
                     Visit visit) const {
    switch (kind) {
      case Reordering::kMonotone:
        return from(table, covered, covered.first, visit);
      case Reordering::kSwap:
        return swap(table, covered, last_end, visit);
      case Reordering::kPhrase:
        return phrase(table, covered, last_end, visit);
    }
  }

  bool has_dead_ends() const {
    return kind == Reordering::kPhrase && distortion_rule == DistortionRule::kJump &&
           distortion_limit >= 0;
  }

 private:
  // Every free span that begins at `begin`.
  template <typename Visit>
  static void from(const OptionTable& table, const Coverage& covered, int begin, Visit visit) {
    const int last = std::min(table.size(), begin + table.max_words());
    for (int end = begin + 1; end <= last && covered.can_add(begin, end); ++end) {
      if (!table.span(begin, end).empty()) visit(begin, end);
    }
  }

  template <typename Visit>
  void swap(const OptionTable& table, const Coverage& covered, int last_end, Visit visit) const {
    const int first = covered.first;
    if (covered.later != 0) {  // a gap is open: one block fills it
      const int end = first + 1 + std::countr_zero(covered.later);
      if (!table.span(first, end).empty()) visit(first, end);
      return;
    }
    from(table, covered, first, visit);
    if (strict_single_gap && last_end < first) return;  // a filled gap lies behind
    const int last = std::min(table.size() - 1, first + table.max_words());
    for (int begin = first + 1; begin <= last; ++begin) {
      if (table.has_left(first, begin)) from(table, covered, begin, visit);
    }
  }

  template <typename Visit>
  void phrase(const OptionTable& table, const Coverage& covered, int last_end, Visit visit) const {
    const int n = table.size();
    const int limit = distortion_limit < 0 ? n : std::min(distortion_limit, n);
    const int window = distortion_rule == DistortionRule::kWindow ? limit : Coverage::kWindow;
    const int first = covered.first;
    const int last =
        std::min({n - 1, last_end + limit, first + std::min(window, Coverage::kWindow)});
    for (int begin = std::max(first, last_end - limit); begin <= last; ++begin) {
      // A block beyond the first gap must leave the way back to it open.
      from(table, covered, begin, [&](int at, int end) {
        if (at == first || end - first <= window) visit(at, end);
      });
    }
  }
};

}  // namespace calque
