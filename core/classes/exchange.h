// Word classes by exchange: each word in turn moves to the class where the bigrams say most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "classes/bigrams.h"

namespace calque {

// The objective is that of Kneser and Ney (1993): with n(g, h) the bigrams from class g to class h
// and N(g) the words of class g in the corpus,
//
//   sum over g, h of n ln n - 2 * sum over g of N ln N,
//
// the mutual information of neighbouring classes up to a factor and a constant. The sentence
// boundary is a class of its own, `n_classes`, that no word enters.
//
// A move is judged against tables of class bigrams that are kept up to date, so trying all classes
// for one word costs their number times that of the classes beside the word.
// Oracle: tests/test_features_brown.py (the objective from scratch, all moves by enumeration).
class ClassExchange {
 public:
  // Words are dealt to the classes in turn by falling frequency (one class for all rare words, the
  // other usual start, ends on much lower hills where classes are few).
  // Words that do not occur have class -1. Ties of frequency go by id.
  ClassExchange(Bigrams bigrams, int32_t n_classes);

  // Takes each word once, by falling frequency, to its best class (staying wins ties, then the
  // lower class). Returns the gains of the words that moved, each above 0.
  std::vector<double> sweep();
  double objective() const;

  // The class of each word.
  const std::vector<int32_t>& classes() const { return class_of_; }

 private:
  struct Share {  // bigrams between the word in hand and a class
    int32_t cls;
    int32_t count;
  };

  size_t cell(int32_t row, int32_t column) const {
    return static_cast<size_t>(row) * width_ + static_cast<size_t>(column);
  }
  // Groups the neighbours by class; `own` takes those that are the word itself.
  void share(std::span<const Neighbour> neighbours, int32_t word, std::vector<Share>& shares,
             int32_t& own);
  // Adds the word in hand to a class (sign 1) or takes it out (sign -1).
  void place(int32_t word, int32_t cls, int32_t sign);
  // The change of the objective by adding the word in hand, which is in no class.
  double gain(int32_t word, int32_t cls) const;

  Bigrams bigrams_;
  EntropyTerm term_;
  int32_t n_classes_;
  size_t width_;                     // classes and the boundary
  std::vector<int32_t> by_frequency_;
  std::vector<int32_t> class_of_;
  std::vector<int64_t> totals_;
  std::vector<int32_t> table_;       // n(g, h) at row g, column h
  std::vector<int32_t> transposed_;  // n(g, h) at row h, column g
  // The word in hand: its bigrams to and from other words by class, and with itself.
  std::vector<Share> after_, before_;
  int32_t own_ = 0;
  std::vector<int32_t> sums_;        // scratch by class, zero between uses
};

}  // namespace calque
