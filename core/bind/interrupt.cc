// Ctrl-C on the thread that runs Python's signal handlers, and what ends the threads beside it.
#include "interrupt.h"

#include <memory>

#include "bind/register.h"

namespace calque::bind {

namespace nb = nanobind;

namespace {

using Flag = std::shared_ptr<std::atomic<bool>>;

// Runs Python's signal handlers, which only happens on the main thread, and leaves what they raise
// for the translator below.
bool run_signal_handlers() {
  nb::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Interrupted&) {
    if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

// Tells the threads that follow it to end the calls that they are in.
class Ending {
 public:
  void follow() const {
    thread_local Flag kept;  // as long as the thread may look at it
    calque::follow(flag_.get());
    kept = flag_;
  }
  void tell() { flag_->store(true); }

 private:
  Flag flag_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

void register_interrupt(nb::module_& m) {
  set_interrupt_question(run_signal_handlers);
  nb::register_exception_translator(translate);
  nb::class_<Ending>(m, "Ending", "Ends long calls of other threads.")
      .def(nb::init<>())
      .def("follow", &Ending::follow, "Let calls of this thread end with a KeyboardInterrupt once told.")
      .def("tell", &Ending::tell, "End the calls of the threads that follow.");
}

}  // namespace calque::bind
