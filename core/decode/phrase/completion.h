// Whether a hypothesis can still be completed where nothing but the length of a jump is limited.
#pragma once

#include <vector>

#include "decode/phrase/coverage.h"
#include "decode/phrase/options.h"

namespace calque {

// Under such a limit a hypothesis may leave a gap so far behind that no jump leads back to it, unless
// words on the way were left free to tread on. Exact, in time linear in the window.
//
// Words are taken one by one here: a longer block goes no further than its words from left to right.
// If there is an order of the free words at all, there is one with a single turn: either leftwards to
// the first gap over some of the words and back over all others, or rightwards to the last word and
// back. (Of any order keep the words that go farther than all before them, up to the turn and from it
// on: their jumps are no longer than those that led there. Whatever is left fits in on the way back,
// where it only shortens jumps.) Oracle: tests/test_decode_distortion.py (enumeration).
class Completion {
 public:
  // Precondition: every word has an option of its own or lies in a longer one that must be used.
  void begin(const OptionTable& table, int distortion_limit);

  // Whether all that is free can be translated after a block that ended at `last_end`.
  bool is_possible(const Coverage& covered, int last_end);

 private:
  struct Unit {
    int begin, end;
  };
  // A way out over some of the units so far and a way back over all others: where the one has come
  // to, and where the other must arrive.
  struct Ways {
    bool possible = false;
    int out = 0, back = 0;
  };

  bool reaches(int from_end, int begin) const;
  bool turns_left(int last_end) const;
  bool turns_right(int last_end) const;

  int limit_ = 0;
  int n_words_ = 0;
  std::vector<int> ends_;           // of the shortest option that begins at each word
  std::vector<Unit> left_, right_;  // free, before and after where the last block ended, ascending
};

}  // namespace calque
