// What forced decoding finds: which derivations give the reference.
#pragma once

#include <cstdint>

#include "decode/derivation.h"

namespace calque {

struct Forced {
  bool reachable = false;    // some derivation gives the whole reference
  bool truncated = false;    // too large to search: counted as not reachable
  int64_t n_states = 0;      // those on ways to the whole pair
  double n_derivations = 0;  // of the whole pair, as a real number because it grows exponentially
  int32_t prefix_source = 0, prefix_target = 0;  // longest reachable prefix pair
  Derivation best;           // of the whole pair or else, where asked for, of the prefix pair
};

struct ForcedLimits {
  int64_t max_bytes;  // a search that needs more is given up
  int max_words;      // longer sources are not tried
};

// What to find of pairs that are out of reach.
struct PrefixPairs {
  int shortest;  // in source words, that is of use
  bool derive;   // the best derivation of the longest one
};

}  // namespace calque
