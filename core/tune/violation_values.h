// What updates on search errors are computed from, whatever the engine.
#pragma once

#include <cstdint>
#include <span>

#include "decode/oracle_bleu.h"
#include "decode/sparse_features.h"

namespace calque {

// Appends a - b for ascending keys.
void subtract(const SparseVector& a, const SparseVector& b, SparseVector& to);

// How many n-grams of some words are in the reference, each no more often than there.
OracleBleu::Matches matches(std::span<const int32_t> words, std::span<const int32_t> reference);

}  // namespace calque
