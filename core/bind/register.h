// One function per folder of the core, each defined in the file of that name.
#pragma once

#include <nanobind/nanobind.h>

namespace calque::bind {

void register_checks(nanobind::module_& m);
void register_interrupt(nanobind::module_& m);
void register_text(nanobind::module_& m);
void register_lm(nanobind::module_& m);
void register_align(nanobind::module_& m);
void register_blocks(nanobind::module_& m);
void register_sparse(nanobind::module_& m);
void register_classes(nanobind::module_& m);
void register_features(nanobind::module_& m);
void register_decode(nanobind::module_& m);
void register_hyps(nanobind::module_& m);
void register_tune(nanobind::module_& m);
void register_online(nanobind::module_& m);
void register_expected_bleu(nanobind::module_& m);
void register_metrics(nanobind::module_& m);

}  // namespace calque::bind
