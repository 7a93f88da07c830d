// Parts of translations as a language model sees them, by number, and what they become side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat_map.h"
#include "hash.h"
#include "lm/lm_fragment.h"

namespace calque {

// The sides of a part. Equal numbers are equal sides; 0 and 0 are those of no words.
struct LmPart {
  int32_t left = 0, right = 0;
};

// The parts of one sentence. The same ones meet again and again, as parts of other parts: what they
// score together is remembered as long as there is room. What comes out never depends on that. Not
// thread-safe. Oracle: tests/test_chart_exact.py (enumeration).
class LmParts {
 public:
  explicit LmParts(const LanguageModel& lm) : lm_(lm), joins_(kJoins) {}

  // Forgets the sentence before.
  void begin();

  LmPart part(const LmFragment& fragment) {
    return {number(fragment.left), rights_.intern(fragment.right)};
  }
  LmPart sentence_begin() const { return sentence_begin_; }
  const LmState& right(const LmPart& part) const { return rights_[part.right]; }

  // A `join` of these that follows well after this does not wait for memory. Inlined always: to the
  // compiler a call of it would change nothing, and be worth leaving out.
  [[gnu::always_inline]] void prefetch(const LmPart& before, const LmPart& next) const {
    __builtin_prefetch(&joins_[mix(key(before, next)) % kJoins]);
  }
  // Puts `next` behind `before`, which becomes both: what the log probability changes by.
  float join(LmPart& before, const LmPart& next) {
    const uint64_t key = this->key(before, next);
    Join& known = joins_[mix(key) % kJoins];
    if (known.key != key) known = join_anew(key, before, next);
    if (!is_closed(before)) before.left = known.left;
    before.right = is_closed(next) ? next.right : known.right;
    return known.change;
  }

 private:
  static constexpr size_t kJoins = 1 << 14;
  static constexpr uint64_t kNoKey = ~0ULL;

  // What two parts become: a left side if the first part is open, a right side if the second one is.
  struct Join {
    uint64_t key = kNoKey;
    float change = 0;
    int32_t left = 0, right = 0;
  };

  // Numbers of left sides say whether they are closed.
  static bool is_closed(const LmPart& part) { return (part.left & 1) != 0; }
  int32_t number(const LmLeft& left) { return 2 * lefts_.intern(left) + (left.is_closed ? 1 : 0); }
  const LmLeft& left(const LmPart& part) const { return lefts_[part.left >> 1]; }
  // What decides a join. All words of an open part are in its left side: the right one follows.
  static uint64_t key(const LmPart& before, const LmPart& next) {
    const auto side = static_cast<uint64_t>(is_closed(before) ? before.right : before.left);
    return (2 * side + (is_closed(before) ? 1 : 0)) << 32 | static_cast<uint32_t>(next.left);
  }
  Join join_anew(uint64_t key, const LmPart& before, const LmPart& next);

  LanguageModel lm_;
  Interner<LmLeft> lefts_;
  Interner<LmState> rights_;
  LmPart sentence_begin_;
  std::vector<Join> joins_;
};

}  // namespace calque
