// The native module: one registering function per folder of the core, and the error family.
#include <nanobind/nanobind.h>

#include "bind/register.h"
#include "error.h"

NB_MODULE(_core, m) {
  nanobind::set_leak_warnings(false);  // what a script still holds at its end is no fault
  m.doc() = "What runs per token, per hypothesis or per feature.";
  nanobind::exception<calque::Error>(
      m, "CoreError", nanobind::module_::import_("calque.errors").attr("CalqueError"));
  calque::bind::register_interrupt(m);
  calque::bind::register_text(m);
  calque::bind::register_lm(m);
  calque::bind::register_align(m);
  calque::bind::register_blocks(m);
  calque::bind::register_checks(m);
  calque::bind::register_sparse(m);
  calque::bind::register_classes(m);
  calque::bind::register_features(m);
  calque::bind::register_decode(m);
  calque::bind::register_hyps(m);
  calque::bind::register_tune(m);
  calque::bind::register_online(m);
  calque::bind::register_expected_bleu(m);
  calque::bind::register_metrics(m);
}
