// ThreadSanitizer's annotations. The runtime is compiled without it: only kernels' accesses count. Each fibre is a
// thread; switches order nothing, barriers do.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef SIMT_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" {
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
// For other languages' heaps; the only way to forget accesses.
void __tsan_java_init(uintptr_t begin, uintptr_t bytes);
void __tsan_java_alloc(uintptr_t memory, uintptr_t bytes);
void __tsan_java_free(uintptr_t memory, uintptr_t bytes);
}
#endif

namespace simt {

// While an object exists, the C library's accesses for the current thread (memcpy, free) do not count. A waiting thread
// must have none: it may never resume.
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

// Orders everything before a release() of the place before everything after an acquire().
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

// Forgets accesses: another block used the memory.
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

// Order of a barrier's rounds. Two alternating places: a thread that leaves late must not see others' later work.
class Ordering {
 public:
  // Before the wait; returns the place to acquire() after it.
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
