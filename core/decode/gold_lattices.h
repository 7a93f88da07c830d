// Gold lattices: all derivations that give a reference, without scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace calque {

// Lattices of many sentence pairs, or of prefix pairs where a pair is out of reach. Of blocks the steps
// follow from the states: any block of the model that leads from one to another and gives the words
// between. Of rules there are no states: their derivations are found anew where they are asked for.
struct GoldLattices {
  std::vector<int64_t> pairs;                // of each lattice, ascending
  std::vector<int32_t> n_source, n_target;   // words of the pair or of the prefix pair
  std::vector<uint8_t> is_whole;             // 0: of a prefix pair
  std::vector<int64_t> offsets{0};           // where the states of each lattice begin
  std::vector<uint64_t> later;               // of the states: their coverage
  std::vector<uint16_t> first, last_end, n_words;  // .. end of the last block, target words so far
  int64_t n_too_large = 0;                   // pairs that were given up

  size_t size() const { return pairs.size(); }
};

// Some lattices; views.
struct GoldView {
  std::span<const int64_t> pairs;
  std::span<const int32_t> n_source, n_target;
  std::span<const uint8_t> is_whole;
  std::span<const int64_t> offsets;
  std::span<const uint64_t> later;
  std::span<const uint16_t> first, last_end, n_words;

  size_t size() const { return pairs.size(); }
};

}  // namespace calque
