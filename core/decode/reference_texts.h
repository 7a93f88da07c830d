// References of sentences, as a decoder takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace calque {

// Words of references, which are target ids or -1 - i for the text of source word i.
struct ReferenceTexts {
  struct Text {
    std::span<const int32_t> ids;
    std::span<const int64_t> offsets;
  };
  std::vector<Text> all;  // each with a reference for every sentence

  // The references of sentence i.
  std::vector<std::span<const int32_t>> sentence(size_t i) const {
    std::vector<std::span<const int32_t>> references;
    for (const auto& [ids, offsets] : all) {
      const auto begin = static_cast<size_t>(offsets[i]);
      references.push_back(ids.subspan(begin, static_cast<size_t>(offsets[i + 1]) - begin));
    }
    return references;
  }
};

}  // namespace calque
