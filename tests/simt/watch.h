// What ThreadSanitizer is told. The runtime itself is compiled without it, so that only accesses of kernels count; each
// fibre is a thread to it, and no switch between them orders anything: barriers do.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef SIMT_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" {
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
// Meant for heaps of other languages; the one way to make memory new.
void __tsan_java_init(uintptr_t begin, uintptr_t bytes);
void __tsan_java_alloc(uintptr_t memory, uintptr_t bytes);
void __tsan_java_free(uintptr_t memory, uintptr_t bytes);
}
#endif

namespace simt {

// While one exists, what the C library does for the current thread (memcpy, free) does not count either. A thread that
// waits has none: it may never be resumed.
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

// Memory that another block used as its own: it has no past.
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

// An order that each round of a barrier makes. Two places in turn: a thread that is late to leave a round must not see
// what others did before the next one.
class Ordering {
 public:
  // Before the thread waits; returns what it leaves with.
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
