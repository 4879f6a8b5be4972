// Annotations for ThreadSanitizer. The emulation is compiled without it: only kernels' accesses count. Each fibre is a
// thread; barriers order accesses, switches between fibres do not.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef SIMT_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" {
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
// For other languages' heaps. Nothing else makes ThreadSanitizer forget accesses.
void __tsan_java_init(uintptr_t begin, uintptr_t bytes);
void __tsan_java_alloc(uintptr_t memory, uintptr_t bytes);
void __tsan_java_free(uintptr_t memory, uintptr_t bytes);
}
#endif

namespace simt {

// While an object exists, the C library's accesses for the current thread (memcpy, free) do not count. A waiting thread
// must have no such object: it may never resume.
class Unwatched {
 public:
#ifdef SIMT_TSAN
  Unwatched() { __tsan_ignore_thread_begin(); }
  ~Unwatched() { __tsan_ignore_thread_end(); }
#else
  Unwatched() {}
#endif
  Unwatched(const Unwatched &) = delete;
  Unwatched &operator=(const Unwatched &) = delete;
};

// Work before a release() of a place happens before work after an acquire() of it.
inline void release([[maybe_unused]] void *place) {
#ifdef SIMT_TSAN
  __tsan_release(place);
#endif
}
inline void acquire([[maybe_unused]] void *place) {
#ifdef SIMT_TSAN
  __tsan_acquire(place);
#endif
}

// Forgets the accesses of another block that used the memory.
inline void make_new([[maybe_unused]] void *memory, [[maybe_unused]] size_t bytes) {
#ifdef SIMT_TSAN
  [[maybe_unused]] static const bool once = [] {
    __tsan_java_init(8, uintptr_t{1} << 48);
    return true;
  }();
  const uintptr_t begin = reinterpret_cast<uintptr_t>(memory) / 8 * 8;
  const uintptr_t size = (reinterpret_cast<uintptr_t>(memory) + bytes - begin + 7) / 8 * 8;
  __tsan_java_free(begin, size);
  __tsan_java_alloc(begin, size);
#endif
}

// Orders the work before and after a barrier. Rounds alternate between two places: a thread that leaves late must not
// acquire what others have released since.
class Ordering {
 public:
  // Called before the wait. Returns the place to acquire() after it.
  void *arrive() {
    void *place = &places_[round_ % 2];
    release(place);
    return place;
  }
  void next_round() { ++round_; }

 private:
  char places_[2] = {};
  unsigned round_ = 0;
};

}  // namespace simt
