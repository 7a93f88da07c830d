// Ctrl-C inside a long call of the core: whoever runs it says how to ask whether it should end, and
// loops that may take long ask once in a while, on any thread. Oracle: tests/test_core_interrupt.py.
#pragma once

#include <atomic>
#include <exception>

namespace calque {

// Ends the call that was interrupted. Not an `Error`: nothing is wrong, and only who started the
// call may catch it.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Whether the call that runs on this thread should end; false on threads that nobody can interrupt.
using InterruptQuestion = bool (*)();

// To be set once, before any long call.
void set_interrupt_question(InterruptQuestion question);

// Whether this thread should end its work: because the flag that it follows is set or, where it
// follows none, because the question says so. That is asked ten times a second at most; in between
// this costs a reading of the clock.
bool is_interrupted();

inline void end_if_interrupted() {
  if (is_interrupted()) throw Interrupted();
}

// From now on this thread ends its work when the flag is set, and asks nobody. A null pointer makes
// it ask again. Gives the flag that it followed before.
const std::atomic<bool>* follow(const std::atomic<bool>* flag);

// The thread follows a flag while this lives.
class Following {
 public:
  explicit Following(const std::atomic<bool>& flag) : before_(follow(&flag)) {}
  ~Following() { follow(before_); }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;

 private:
  const std::atomic<bool>* before_;
};

}  // namespace calque
