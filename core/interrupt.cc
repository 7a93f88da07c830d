#include "interrupt.h"

#include <chrono>
#include <utility>

namespace calque {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenQuestions{100};

std::atomic<InterruptQuestion> the_question{nullptr};
thread_local const std::atomic<bool>* followed = nullptr;
thread_local Clock::time_point last_asked;

}  // namespace

void set_interrupt_question(InterruptQuestion question) { the_question.store(question); }

bool is_interrupted() {
  if (followed != nullptr) return followed->load(std::memory_order_relaxed);
  const InterruptQuestion question = the_question.load(std::memory_order_relaxed);
  if (question == nullptr) return false;
  const Clock::time_point now = Clock::now();
  if (now - last_asked < kBetweenQuestions) return false;
  last_asked = now;
  return question();
}

const std::atomic<bool>* follow(const std::atomic<bool>* flag) {
  return std::exchange(followed, flag);
}

}  // namespace calque
