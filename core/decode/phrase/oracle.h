// Search for the translations closest to references, whatever the model thinks of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/oracle_bleu.h"
#include "decode/phrase/options.h"
#include "decode/phrase/target.h"
#include "decode/reference_ngrams.h"

namespace calque {

// Any words may follow; the score of a partial translation is its sentence BLEU against the whole
// references, so a step scores the difference that it makes. Oracle: tests/test_decode_oracle.py.
class OracleTarget {
 public:
  // The options of the table that the search may use must not change afterwards.
  OracleTarget(ReferenceNgrams references, bool brevity_penalty, const OptionTable& table);

  int32_t begin();
  TargetStep step(int32_t state, const Option& option, int32_t id, int orientation);
  // The score of the partial translations that each of some options, `first` the first of them, would
  // lead to: hypotheses that no continuation can tell apart have the same.
  void look_ahead(int32_t state, std::span<const Option> options, int32_t first,
                  std::vector<double>& scores);
  static constexpr bool looks_ahead() { return true; }
  static constexpr bool has_future(const Coverage&, int, int32_t) { return true; }
  static constexpr bool completes() { return true; }
  static constexpr bool ends() { return true; }
  double finish(int32_t) const { return 0; }
  static std::span<const int32_t> history(int32_t) { return {}; }  // nothing has a weight here

 private:
  // Histories with equal contexts and used n-grams go on alike; matches follow from these.
  struct State {
    int32_t context = 0, length = 0;
    int32_t n_covered = 0;  // source words, where the brevity penalty asks for them
    OracleBleu::Matches matches{};
    double score = 0;
    uint64_t used = 0;  // a sum over the used n-grams of a number of each
    bool operator==(const State& other) const {
      return context == other.context && length == other.length && n_covered == other.n_covered &&
             used == other.used;
    }
    uint64_t hash() const {
      return mix(used ^ mix(static_cast<uint64_t>(length) << 32 | static_cast<uint32_t>(context)));
    }
  };

  void load(int32_t state);
  State append(const State& from, const Option& option, int32_t id);
  void take_back();

  ReferenceNgrams references_;
  OracleBleu bleu_;
  int n_source_;
  std::vector<int32_t> words_;        // of all options, as the references know them
  std::vector<size_t> word_offsets_;  // where those of each option begin
  Interner<State> states_;
  std::vector<uint8_t> all_used_;  // of each state, how often it has matched each n-gram
  std::vector<uint8_t> used_;      // of the loaded state and what was appended to it
  std::vector<int32_t> appended_;  // n-grams, to be taken back
};

// Drops options that no best translation needs: of those that the references cannot tell apart `n`
// are kept per span, and without brevity penalty the shortest of those that differ only in how many
// words of no reference stand together.
void keep_useful(OptionTable& table, const ReferenceNgrams& references, bool brevity_penalty, int n);

}  // namespace calque
