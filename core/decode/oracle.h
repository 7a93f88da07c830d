// Search for the translations closest to a reference, whatever the model thinks of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "decode/target.h"
#include "flat_map.h"

namespace calque {

// Smoothed sentence BLEU without brevity penalty: add-one for orders from 2 (spec: relevant-set 6).
double sentence_bleu(const std::array<int, 4>& matches, int length);

// Any words may follow; the score of a partial translation is its sentence BLEU against the whole
// reference, so a step scores the difference that it makes. Oracle: tests/test_decode_oracle.py.
class OracleTarget {
 public:
  explicit OracleTarget(std::span<const int32_t> reference);

  int32_t begin();
  TargetStep step(int32_t state, const Option& option, int32_t id);
  static constexpr bool has_future(const Coverage&, int32_t) { return true; }
  static constexpr bool completes() { return true; }
  static constexpr bool ends() { return true; }
  double finish(int32_t) const { return 0; }
  static std::span<const int32_t> history(int32_t) { return {}; }  // nothing has a weight here

 private:
  static constexpr int kOrder = 4;

  // Histories with equal matches, last words and used n-grams go on alike.
  struct State {
    int32_t length = 0;
    std::array<int32_t, kOrder - 1> last{};  // most recent first; kNoWord before the beginning
    std::array<int, kOrder> matches{};
    std::vector<uint8_t> used;  // how often each n-gram of the reference has been matched
    bool operator==(const State&) const = default;
    uint64_t hash() const;
  };
  static constexpr int32_t kNoWord = INT32_MIN;

  void append(State& state, int32_t word) const;

  std::unordered_map<uint64_t, int32_t> ngrams_;  // by hash
  std::vector<uint8_t> counts_;                   // in the reference
  Interner<State> states_;
};

}  // namespace calque
