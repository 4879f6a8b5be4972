// A call that can be suspended, on its own stack.
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

  // Prepares entry(argument), which must end with a last suspend(). Abandons an unfinished earlier call without
  // unwinding.
  void prepare(void (*entry)(void *), void *argument);

  // Runs until suspended. Not from a fibre.
  void resume();

  // Returns to resume(). `last`: for good.
  void suspend(bool last = false);

 private:
  static void start(boost::context::detail::transfer_t transfer);

  boost::context::stack_context stack_;
  boost::context::detail::fcontext_t context_ = nullptr;  // the fibre's; the caller's while the fibre runs
  void (*entry_)(void *) = nullptr;
  void *argument_ = nullptr;
  bool ended_ = true;
  // AddressSanitizer's, for both stacks.
  [[maybe_unused]] void *own_fake_stack_ = nullptr, *caller_fake_stack_ = nullptr;
  [[maybe_unused]] const void *caller_stack_ = nullptr;
  [[maybe_unused]] size_t caller_stack_size_ = 0;
  // ThreadSanitizer's threads of fibre and caller.
  [[maybe_unused]] void *own_watch_ = nullptr, *caller_watch_ = nullptr;
};

}  // namespace simt
