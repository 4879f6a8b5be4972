// Replaces operator new, and malloc unless a sanitizer does.
#include "failing_memory.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<int> g_left{0};  // allocations until the failing one; 0: none; -1: it has failed
std::atomic<bool> g_all{false};

bool is_of_library(const void *caller) {
  Dl_info info;
  if (dladdr(caller, &info) == 0) return false;
  for (const char *name : {"/libsgemm.so", "/libsgemm_blas.so", "/libstdc++.so", "/libc.so", "/ld-linux", "/ld.so"}) {
    if (std::strstr(info.dli_fname, name) != nullptr) return true;
  }
  return false;
}

bool fails(const void *caller) {
  if (g_left.load(std::memory_order_relaxed) == 0 || !is_of_library(caller)) return false;
  int left = g_left.load();
  while (left > 0 && !g_left.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 1) g_left = -1;
  return left == 1 || (left < 0 && g_all);
}

#if defined(LIBSGEMM_TEST_SANITIZED)
void *plain_malloc(size_t bytes) { return std::malloc(bytes); }
#else
extern "C" void *__libc_malloc(size_t);
void *plain_malloc(size_t bytes) { return __libc_malloc(bytes); }
#endif

void *obtain(size_t bytes, const void *caller) {
  return fails(caller) ? nullptr : plain_malloc(std::max<size_t>(bytes, 1));
}

}  // namespace

namespace sgemm_test {

void fail_allocation(int nth, bool all) {
  g_all = all;
  g_left = nth;
}

bool allocation_failed() { return g_left.exchange(0) < 0; }

}  // namespace sgemm_test

// If these are inlined, GCC warns of free() for memory from new.
[[gnu::noinline]] void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  return obtain(bytes, __builtin_return_address(0));
}
[[gnu::noinline]] void *operator new[](size_t bytes, const std::nothrow_t &) noexcept {
  return obtain(bytes, __builtin_return_address(0));
}
[[gnu::noinline]] void *operator new(size_t bytes) {
  void *memory = obtain(bytes, __builtin_return_address(0));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void *operator new[](size_t bytes) {
  void *memory = obtain(bytes, __builtin_return_address(0));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void *memory, size_t) noexcept { std::free(memory); }

#if !defined(LIBSGEMM_TEST_SANITIZED)
#define EXPORTED __attribute__((visibility("default")))

extern "C" {

void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

EXPORTED void *malloc(size_t bytes) {
  return fails(__builtin_return_address(0)) ? errno = ENOMEM, nullptr : __libc_malloc(bytes);
}

EXPORTED void *calloc(size_t number, size_t bytes) {
  return fails(__builtin_return_address(0)) ? errno = ENOMEM, nullptr : __libc_calloc(number, bytes);
}

EXPORTED void *realloc(void *memory, size_t bytes) {
  return fails(__builtin_return_address(0)) ? errno = ENOMEM, nullptr : __libc_realloc(memory, bytes);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes) {
  return fails(__builtin_return_address(0)) ? errno = ENOMEM, nullptr : __libc_memalign(alignment, bytes);
}

EXPORTED int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  if (fails(__builtin_return_address(0))) return ENOMEM;
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif
