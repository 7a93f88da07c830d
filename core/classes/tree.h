// The binary tree of word classes (Brown and others, 1992): bit strings whose prefixes are classes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "classes/bigrams.h"

namespace calque {

struct ClassTree {
  std::vector<std::string> bits;  // by class; empty where the class has no words
  std::vector<std::pair<int32_t, int32_t>> merges;  // in order; the first one's number stays
  std::vector<double> losses;     // what each merge took off the objective of exchange.h
};

// Merges the two classes that lose least mutual information until one is left (ties: the lowest
// pair). The bit strings are the ways from the root, 0 towards the class with the lower number; a
// single class is "0". Losses are kept for all pairs and corrected where a merge touches them:
// O(n_classes^3) in all. `class_of` is by word, -1 for words without a class.
// Oracle: tests/test_features_brown.py (each merge by brute force).
ClassTree build_class_tree(const Bigrams& bigrams, std::span<const int32_t> class_of,
                           int32_t n_classes);

}  // namespace calque
