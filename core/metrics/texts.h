// Lines of text in one buffer, and their words and characters as Python's str.split() sees them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

// Lines back to back in one buffer.
class Texts {
 public:
  void add(std::string_view line) {
    bytes_.append(line);
    ends_.push_back(bytes_.size());
  }
  size_t size() const { return ends_.size() - 1; }
  std::string_view operator[](size_t i) const {
    return std::string_view(bytes_).substr(ends_[i], ends_[i + 1] - ends_[i]);
  }

 private:
  std::string bytes_;
  std::vector<size_t> ends_{0};
};

// The bytes of the white space that begins at `at`, or 0: exactly the characters on which
// str.split() splits. Precondition: at < end, UTF-8.
inline size_t space_at(const char* at, const char* end) {
  const auto byte = [&](int i) { return static_cast<uint8_t>(at[i]); };
  if (byte(0) < 0x80) {
    return byte(0) == ' ' || (byte(0) >= 0x09 && byte(0) <= 0x0d) ||
           (byte(0) >= 0x1c && byte(0) <= 0x1f);
  }
  if (byte(0) == 0xc2 && end - at >= 2) return byte(1) == 0x85 || byte(1) == 0xa0 ? 2 : 0;
  if (byte(0) < 0xe1 || byte(0) > 0xe3 || end - at < 3) return 0;
  const int tail = byte(1) << 8 | byte(2);
  if (byte(0) == 0xe1) return tail == 0x9a80 ? 3 : 0;
  if (byte(0) == 0xe3) return tail == 0x8080 ? 3 : 0;
  const bool space = (tail >= 0x8080 && tail <= 0x808a) || tail == 0x80a8 || tail == 0x80a9 ||
                     tail == 0x80af || tail == 0x819f;
  return space ? 3 : 0;
}

// Calls visit(word) for the words of a line. Oracle: tests/test_metrics_sacrebleu.py.
template <typename Visit>
void for_words(std::string_view line, Visit visit) {
  const char* at = line.data();
  const char* const end = at + line.size();
  const char* word = at;
  const auto leave = [&] {
    if (at != word) visit(std::string_view(word, static_cast<size_t>(at - word)));
  };
  while (at != end) {
    const size_t gap = space_at(at, end);
    if (gap == 0) {
      ++at;
      continue;
    }
    leave();
    at += gap;
    word = at;
  }
  leave();
}

// Appends the code points of valid UTF-8.
inline void append_characters(std::string_view text, std::vector<int32_t>& out) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t k) { return static_cast<uint8_t>(text[i + k]); };
    const size_t n = byte(0) < 0x80 ? 1 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
    int32_t point = n == 1 ? byte(0) : byte(0) & (0x7f >> n);
    for (size_t k = 1; k < n; ++k) point = point << 6 | (byte(k) & 0x3f);
    out.push_back(point);
    i += n;
  }
}

}  // namespace calque
