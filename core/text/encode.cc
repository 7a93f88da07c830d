#include "text/encode.h"

#include <algorithm>

namespace calque {
namespace {

template <typename IdOf>
Sentences encode_with(std::string_view text, IdOf id_of) {
  Sentences out;
  out.ids.reserve(text.size() / 5);
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at == '\n') {
      out.offsets.push_back(static_cast<int64_t>(out.ids.size()));
      ++at;
    } else if (*at == ' ') {
      ++at;
    } else {
      const char* const stop = std::find_if(at, end, [](char c) { return c == ' ' || c == '\n'; });
      out.ids.push_back(id_of(std::string_view(at, static_cast<size_t>(stop - at))));
      at = stop;
    }
  }
  if (!text.empty() && text.back() != '\n') {
    out.offsets.push_back(static_cast<int64_t>(out.ids.size()));
  }
  return out;
}

}  // namespace

Sentences encode(std::string_view text, const WordTable& words, int32_t unknown) {
  return encode_with(text, [&](std::string_view word) {
    const int32_t id = words.find(word);
    return id < 0 ? unknown : id;
  });
}

Sentences encode_growing(std::string_view text, WordTable& words) {
  return encode_with(text, [&](std::string_view word) { return words.add(word); });
}

}  // namespace calque
