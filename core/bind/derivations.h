// What searches give back, bound for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "decode/decoded_lists.h"
#include "decode/phrase/decoder.h"

namespace calque::bind {

// What was decoded from many sentences, kept on this side of the border.
struct DecodedBatch {
  std::vector<Decoded> decoded;
  DecodedLists lists;
};

// Part of register_decode.
void register_derivations(nanobind::module_& m);

}  // namespace calque::bind
