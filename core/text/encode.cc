#include "text/encode.h"

#include <array>
#include <bit>
#include <cstring>

#include "hash.h"

namespace calque {
namespace {

bool separates(char c) { return c == ' ' || c == '\n'; }

// The high bit of every byte of `bytes` that is zero; bytes above the lowest such may be wrong.
uint64_t zero_bytes(uint64_t bytes) {
  return (bytes - 0x0101010101010101ULL) & ~bytes & 0x8080808080808080ULL;
}

// The end of the word that begins at `at`, found eight bytes a step.
const char* word_end(const char* at, const char* end) {
  if constexpr (std::endian::native == std::endian::little) {
    for (; end - at >= 8; at += 8) {
      uint64_t bytes;
      std::memcpy(&bytes, at, 8);
      const uint64_t found =
          zero_bytes(bytes ^ 0x2020202020202020ULL) | zero_bytes(bytes ^ 0x0a0a0a0a0a0a0a0aULL);
      if (found != 0) return at + std::countr_zero(found) / 8;
    }
  }
  while (at != end && !separates(*at)) ++at;
  return at;
}

// Words wait in a batch between hashing and lookup, while the processor fetches their slots.
template <typename IdOf>
class Batch {
 public:
  Batch(const WordTable& words, IdOf id_of, std::vector<int32_t>& ids)
      : words_(words), id_of_(id_of), ids_(ids) {}

  void push(std::string_view word) {
    const uint64_t hash = hash_bytes(word);
    words_.prefetch(hash);
    waiting_[size_++] = {word, hash};
    if (size_ == waiting_.size()) flush();
  }

  void flush() {
    for (size_t i = 0; i < size_; ++i) ids_.push_back(id_of_(waiting_[i].word, waiting_[i].hash));
    size_ = 0;
  }

  // The number of words so far.
  size_t n_words() const { return ids_.size() + size_; }

 private:
  struct Waiting {
    std::string_view word;
    uint64_t hash;
  };
  const WordTable& words_;
  IdOf id_of_;
  std::vector<int32_t>& ids_;
  std::array<Waiting, 32> waiting_;
  size_t size_ = 0;
};

template <typename IdOf>
Sentences encode_with(std::string_view text, const WordTable& words, IdOf id_of) {
  Sentences out;
  out.ids.reserve(text.size() / 5);
  Batch<IdOf> batch(words, id_of, out.ids);
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (!separates(*at)) {
      const char* const stop = word_end(at, end);
      batch.push(std::string_view(at, static_cast<size_t>(stop - at)));
      at = stop;
    } else if (*at++ == '\n') {
      out.offsets.push_back(static_cast<int64_t>(batch.n_words()));
    }
  }
  if (!text.empty() && text.back() != '\n') {
    out.offsets.push_back(static_cast<int64_t>(batch.n_words()));
  }
  batch.flush();
  return out;
}

}  // namespace

Sentences encode(std::string_view text, const WordTable& words, int32_t unknown) {
  return encode_with(text, words, [&](std::string_view word, uint64_t hash) {
    const int32_t id = words.find(word, hash);
    return id < 0 ? unknown : id;
  });
}

Sentences encode_growing(std::string_view text, WordTable& words) {
  return encode_with(text, words, [&](std::string_view word, uint64_t hash) {
    return words.add(word, hash);
  });
}

}  // namespace calque
