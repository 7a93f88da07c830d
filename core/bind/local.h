// Events of the local model across the border; called by register_tune.
#pragma once

#include <nanobind/nanobind.h>

namespace calque::bind {

void register_local(nanobind::module_& m);

}  // namespace calque::bind
