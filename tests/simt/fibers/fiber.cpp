// Fibres on Boost.Context's assembly, annotated for AddressSanitizer and ThreadSanitizer.
#include "fiber.h"

#include <boost/context/protected_fixedsize_stack.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif
#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SIMT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace simt {
namespace {

namespace context = boost::context::detail;

// Holds a thread's fragments, spilled and with redzones. Unused pages cost nothing.
constexpr size_t kStackBytes = 256 * 1024;
// Bytes of the frames of start(), the entry and suspend().
[[maybe_unused]] constexpr size_t kOuterFrames = 8 * 1024;

[[maybe_unused]] void *bottom(const boost::context::stack_context &stack) {
  return static_cast<char *>(stack.sp) - stack.size;
}

void switch_watch([[maybe_unused]] void *to) {
#ifdef SIMT_TSAN
  __tsan_switch_to_fiber(to, __tsan_switch_to_fiber_no_sync);
#endif
}

}  // namespace

Fiber::Fiber() : stack_(boost::context::protected_fixedsize_stack(kStackBytes).allocate()) {
#ifdef SIMT_TSAN
  own_watch_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef SIMT_TSAN
  __tsan_destroy_fiber(own_watch_);
#endif
#ifdef SIMT_ASAN
  __asan_unpoison_memory_region(bottom(stack_), stack_.size);
#endif
  boost::context::protected_fixedsize_stack(kStackBytes).deallocate(stack_);
}

void Fiber::prepare(void (*entry)(void *), void *argument) {
#ifdef SIMT_ASAN
  // Only outermost frames have redzones left, unless a call was abandoned.
  const size_t used = ended_ ? kOuterFrames : stack_.size;
  __asan_unpoison_memory_region(static_cast<char *>(stack_.sp) - used, used);
#endif
  ended_ = false;
  entry_ = entry;
  argument_ = argument;
  own_fake_stack_ = nullptr;
  context_ = context::make_fcontext(stack_.sp, stack_.size, start);
}

void Fiber::start(context::transfer_t transfer) {
  Fiber *fiber = static_cast<Fiber *>(transfer.data);
  fiber->context_ = transfer.fctx;
#ifdef SIMT_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &fiber->caller_stack_, &fiber->caller_stack_size_);
#endif
  fiber->entry_(fiber->argument_);
}

void Fiber::resume() {
#ifdef SIMT_ASAN
  __sanitizer_start_switch_fiber(&caller_fake_stack_, bottom(stack_), stack_.size);
#endif
#ifdef SIMT_TSAN
  caller_watch_ = __tsan_get_current_fiber();
#endif
  switch_watch(own_watch_);
  context_ = context::jump_fcontext(context_, this).fctx;
#ifdef SIMT_ASAN
  __sanitizer_finish_switch_fiber(caller_fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::suspend(bool last) {
  ended_ = last;
#ifdef SIMT_ASAN
  __sanitizer_start_switch_fiber(last ? nullptr : &own_fake_stack_, caller_stack_, caller_stack_size_);
#endif
  switch_watch(caller_watch_);
  context_ = context::jump_fcontext(context_, nullptr).fctx;
#ifdef SIMT_ASAN
  __sanitizer_finish_switch_fiber(own_fake_stack_, &caller_stack_, &caller_stack_size_);
#endif
}

}  // namespace simt
