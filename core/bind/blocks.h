// The block table and the aligned corpus across the border, for every binding that takes them.
#pragma once

#include <nanobind/nanobind.h>

#include "bind/arrays.h"
#include "blocks/block_table.h"
#include "blocks/corpus.h"

namespace calque::bind {

using NamedArrays = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

// A view of the arrays of a Python BlockTable, and the arrays themselves, in a dictionary of our own
// so that they stay alive whatever the caller does with his.
struct BoundBlockTable {
  explicit BoundBlockTable(NamedArrays named);
  NamedArrays arrays;
  BlockTable table;
};

// A view of the arrays of an aligned corpus, checked, and the arrays themselves.
struct BoundCorpus {
  BoundCorpus(Vector<int32_t> source_words, Vector<int64_t> source_ends,
              Vector<int32_t> target_words, Vector<int64_t> target_ends,
              Matrix<int32_t> link_rows, Vector<int64_t> link_ends);
  Vector<int32_t> source, target;
  Vector<int64_t> source_offsets, target_offsets, link_offsets;
  Matrix<int32_t> links;
  AlignedCorpus corpus;
};

// Extraction of rules; called by register_blocks.
void register_rules(nanobind::module_& m);

// Moses's text tables; called by register_blocks.
void register_moses(nanobind::module_& m);

}  // namespace calque::bind
