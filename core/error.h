// The one exception family of the core; the binding translates it to calque.errors.CalqueError.
#pragma once

#include <stdexcept>

namespace calque {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace calque
