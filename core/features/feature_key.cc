#include "features/feature_key.h"

#include <algorithm>
#include <string_view>

#include "error.h"
#include "features/templates.h"

namespace calque {
namespace {

uint64_t phrase_value(std::string_view text) {
  uint64_t value = kEmptyPhrase;
  for (size_t at = 0, end; at <= text.size(); at = end + 1) {
    end = std::min(text.find(' ', at), text.size());
    value = extend_key(value, hash_bytes(text.substr(at, end - at)));
  }
  return value;
}

}  // namespace

uint64_t feature_key(const std::string& name, const std::vector<std::string>& slots,
                     const std::vector<std::string>& values) {
  std::vector<SlotUse> uses;
  for (const std::string& slot : slots) uses.push_back(find_slot(slot));
  size_t at = 0;
  const auto next = [&]() -> const std::string& {
    if (at == values.size()) throw Error("template '" + name + "': a value is missing");
    return values[at++];
  };
  const auto value_of = [&](const SlotUse& use) {
    switch (use.slot) {
      case Slot::kBlock: case Slot::kPreviousBlock: {
        const uint64_t source = phrase_value(next());
        return block_value(source, phrase_value(next()));
      }
      case Slot::kSource: case Slot::kTarget: case Slot::kPreviousSource:
      case Slot::kPreviousTarget: return phrase_value(next());
      default: return hash_bytes(next());
    }
  };
  const uint64_t hash = hash_bytes(name);
  uint64_t key = hash;
  const size_t n = n_major(uses);
  for (size_t i = 0; i < n; ++i) key = add_value(key, i, value_of(uses[i]));
  key = finish_key(hash, key);
  if (n < uses.size()) key = add_minor(key, uses[n].slot, value_of(uses[n]));
  if (at != values.size()) throw Error("template '" + name + "': there are too many values");
  return key;
}

}  // namespace calque
