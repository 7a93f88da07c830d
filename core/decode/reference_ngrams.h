// The n-grams of the references of one sentence, as an automaton that reads a translation.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace calque {

// Node 0 is the empty n-gram; every other node is an n-gram of some reference. Reading a word leads to
// the longest n-gram of the references that ends with it: this one and its suffixes are those that
// match there.
class ReferenceNgrams {
 public:
  static constexpr int kOrder = 4;
  static constexpr int32_t kElsewhere = 0;  // a word of no reference

  explicit ReferenceNgrams(std::span<const std::span<const int32_t>> references);

  // The number by which the references know a target word.
  int32_t word(int32_t target_word) const {
    const auto found = words_.find(target_word);
    return found == words_.end() ? kElsewhere : found->second;
  }
  int32_t read(int32_t node, int32_t word) const {
    return next_[static_cast<size_t>(node) * n_words_ + static_cast<size_t>(word)];
  }
  // The n-gram without its first word.
  int32_t suffix(int32_t node) const { return nodes_[static_cast<size_t>(node)].suffix; }
  int order(int32_t node) const { return nodes_[static_cast<size_t>(node)].order; }
  // How often it may match: as often as in the reference that has it most.
  uint8_t count(int32_t node) const { return nodes_[static_cast<size_t>(node)].count; }
  // The shortest n-gram after which everything is read alike.
  int32_t context(int32_t node) const { return nodes_[static_cast<size_t>(node)].context; }
  size_t size() const { return nodes_.size(); }

  std::span<const int> lengths() const { return lengths_; }

 private:
  struct Node {
    int32_t suffix = 0, context = 0;
    uint8_t order = 0, count = 0;
  };
  int32_t& next(int32_t node, int32_t word) {
    return next_[static_cast<size_t>(node) * n_words_ + static_cast<size_t>(word)];
  }
  void add(std::span<const int32_t> reference);
  void connect();

  size_t n_words_ = 1;  // with kElsewhere
  std::unordered_map<int32_t, int32_t> words_;
  std::vector<Node> nodes_;
  std::vector<int32_t> next_;  // row: node; column: word
  std::vector<int> lengths_;   // of the references
};

}  // namespace calque
