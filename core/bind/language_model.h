// A language model as Python holds it: the arrays, kept alive, and the view of them.
#pragma once

#include <vector>

#include "bind/arrays.h"
#include "lm/language_model.h"

namespace calque::bind {

// Python's structured arrays cross the border as rows of plain words: unigrams as uint32 (log_prob,
// backoff), slots as uint64 (key; log_prob and backoff).
class BoundLanguageModel {
 public:
  BoundLanguageModel(Matrix<uint32_t> unigrams, std::vector<Matrix<uint64_t>> tables)
      : unigrams_(std::move(unigrams)), tables_(std::move(tables)), view_(make_view()) {}

  const LanguageModel& view() const { return view_; }

 private:
  LanguageModel make_view() const;

  Matrix<uint32_t> unigrams_;
  std::vector<Matrix<uint64_t>> tables_;
  LanguageModel view_;
};

}  // namespace calque::bind
