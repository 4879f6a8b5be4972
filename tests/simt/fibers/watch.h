// Annotations for ThreadSanitizer. The runtime itself is compiled without it, so that only accesses of kernels count.
// Each fibre is a thread to it, and no switch between fibres orders anything: barriers do.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef SIMT_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" {
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
// Meant for heaps of other languages; the only way to make ThreadSanitizer forget accesses to memory.
void __tsan_java_init(uintptr_t begin, uintptr_t bytes);
void __tsan_java_alloc(uintptr_t memory, uintptr_t bytes);
void __tsan_java_free(uintptr_t memory, uintptr_t bytes);
}
#endif

namespace simt {

// While an object exists, accesses by the C library for the current thread (memcpy, free) do not count either. A
// waiting thread must have none: it may never be resumed.
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

// Everything before a release() of the place comes before everything after an acquire() of it.
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

// Makes memory forget its accesses, since another block used it as its own.
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

// The order that each round of a barrier establishes. Rounds use two places alternately: a thread that leaves a round
// late must not see what others did before the next one.
class Ordering {
 public:
  // Call before the thread waits; returns the place to acquire() after.
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
