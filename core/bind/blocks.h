// The block table across the border, for every binding that takes one.
#pragma once

#include <nanobind/nanobind.h>

#include "blocks/block_table.h"

namespace calque::bind {

using NamedArrays = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

// A view of the arrays of a Python BlockTable, and the arrays themselves so that they stay alive.
struct BoundBlockTable {
  explicit BoundBlockTable(NamedArrays named);
  NamedArrays arrays;
  BlockTable table;
};

// Moses's text tables; called by register_blocks.
void register_moses(nanobind::module_& m);

}  // namespace calque::bind
