// What an oracle search by rules knows of the target words of a partial translation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "decode/chart/lm_sides.h"
#include "decode/chart/rules.h"
#include "decode/oracle_bleu.h"
#include "decode/reference_ngrams.h"
#include "flat_map.h"

namespace calque {

// The policy of a chart search for what comes closest to references, whatever the model thinks of it:
// the score of a part is its sentence BLEU against the whole references. Oracle:
// tests/test_chart_oracle.py (enumeration).
class OracleSides {
 public:
  static constexpr int32_t kNothing = LmSides::kNothing;
  using Key = std::array<int32_t, 1>;

  // The references of the sentence that comes, which has so many words; of the rules of one source
  // side that the references cannot tell apart `n_alike` are tried.
  void set_references(ReferenceNgrams references, bool brevity_penalty, int n_source, int n_alike);

  void begin();
  static constexpr bool adds_up() { return false; }
  // How many source words the parts cover that come next.
  void cover(int n_source) { share_ = static_cast<double>(n_source) / n_source_; }
  // Those of some rules of one source side that are worth trying.
  std::span<const int32_t> choose(const RuleBook& rules, int32_t first, int32_t last);
  // The score without n-grams that reach from one part into another.
  double estimate(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& parts);
  static void prefetch(const RuleBook&, int32_t, const std::array<int32_t, 2>&) {}
  static void prefetch(int32_t, int32_t) {}
  ChartJoin apply(const RuleBook& rules, int32_t id, const std::array<int32_t, 2>& fillers);
  ChartJoin append(int32_t before, int32_t following);
  static Key key(int32_t state) { return {state}; }
  static double finish(int32_t) { return 0; }

  // The sentence BLEU of these words.
  double bleu(std::span<const int32_t> words);

 private:
  static constexpr int kReach = ReferenceNgrams::kOrder - 1;  // words that n-grams reach across

  // Parts with equal sides, length and used n-grams go on alike; matches follow from these.
  struct State {
    std::array<int32_t, kReach> first{};  // words, as long as they are an n-gram of a reference
    int32_t n_first = 0;
    int32_t left = 0;        // this n-gram
    bool is_closed = false;  // more words follow that no n-gram reaches from the left
    int32_t right = 0;       // what can go on at the end
    int32_t length = 0;
    OracleBleu::Matches matches{};
    uint64_t used = 0;  // a sum over the used n-grams of a number of each

    bool operator==(const State& other) const {
      return left == other.left && is_closed == other.is_closed && right == other.right &&
             length == other.length && used == other.used;
    }
    uint64_t hash() const {
      return mix(used ^ mix(static_cast<uint64_t>(length) << 33 | static_cast<uint64_t>(is_closed) << 32 |
                            static_cast<uint32_t>(left)) ^
                 static_cast<uint64_t>(right));
    }
  };
  // What the words of a rule match by themselves.
  struct Own {
    OracleBleu::Matches matches{};
    int32_t length = 0;
  };

  // Each adds to the part that is being made, which is in `part_` and `used_`.
  void clear_part();
  void add_word(int32_t word);
  void add_part(int32_t state);
  void use(int32_t ngram, int longer_than, int times);
  void extend_left(int32_t word);
  ChartJoin part();

  const Own& own(const RuleBook& rules, int32_t id);
  double score(const OracleBleu::Matches& matches, int length) const;

  std::optional<ReferenceNgrams> references_;
  std::optional<OracleBleu> bleu_;
  int n_source_ = 1, n_alike_ = 1;
  double share_ = 1;
  Interner<State> states_;
  std::vector<uint8_t> all_used_;  // of each state, how often it has matched each n-gram
  State part_;
  std::vector<uint8_t> used_;
  std::unordered_map<int32_t, std::vector<int32_t>> chosen_;  // by the first rule
  std::unordered_map<int32_t, Own> own_;
};

}  // namespace calque
