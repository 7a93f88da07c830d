// The keys of features from text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace calque {

// The key of the feature of a template that is hashed by this name, from the texts of its values; a
// block has two. Throws Error where there are too many or too few of them.
// Oracle: tests/test_features_families.py (the keys that derivations give).
uint64_t feature_key(const std::string& name, const std::vector<std::string>& slots,
                     const std::vector<std::string>& values);

}  // namespace calque
