// A call that can be suspended and resumed, on a stack of its own.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <boost/context/stack_context.hpp>

namespace simt {

class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  // Makes it ready to call entry(argument), which must end with a last suspend(). An earlier call that has not ended is
  // abandoned; its frames are not unwound.
  void prepare(void (*entry)(void *), void *argument);

  // Runs it until it suspends itself. Not from within a fibre.
  void resume();

  // Back to resume(). `last`: it will not be resumed.
  void suspend(bool last = false);

 private:
  static void start(boost::context::detail::transfer_t transfer);

  boost::context::stack_context stack_;
  boost::context::detail::fcontext_t context_ = nullptr;  // context of the fibre, or of the caller while the fibre runs
  void (*entry_)(void *) = nullptr;
  void *argument_ = nullptr;
  bool ended_ = true;  // the last call has ended
  // AddressSanitizer's data of the two stacks.
  [[maybe_unused]] void *own_fake_stack_ = nullptr, *caller_fake_stack_ = nullptr;
  [[maybe_unused]] const void *caller_stack_ = nullptr;
  [[maybe_unused]] size_t caller_stack_size_ = 0;
  // ThreadSanitizer's threads for the fibre and the caller.
  [[maybe_unused]] void *own_watch_ = nullptr, *caller_watch_ = nullptr;
};

}  // namespace simt
