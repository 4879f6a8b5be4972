// Counts this program's calls of malloc and mmap.
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "gpu/gpu_placement.h"
#include "support/catch.h"
#include "support/check.h"
#include "support/subject.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

using namespace sgemm_test;

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};
std::atomic<void *> first_caller{nullptr};

bool is_in(const void *code, const char *library) {
  Dl_info info;
  return dladdr(code, &info) != 0 && std::strstr(info.dli_fname, library) != nullptr;
}

// The library does not control allocations of a GPU's driver or of the plugin's CUDA runtime. `caller` is checked
// first: a backtrace may end in the driver.
bool is_driver(const void *caller) {
  if (is_in(caller, "/libcuda.so") || is_in(caller, "/libamdhip64.so")) return true;
  void *frames[16];
  const int depth = backtrace(frames, 16);
  for (int i = 0; i < depth; ++i) {
    if (is_in(frames[i], "/libcuda.so")) return true;
    if (is_in(frames[i], "/libsgemm")) return is_in(frames[i], "/libsgemm_cuda.so");
  }
  return false;
}

}  // namespace

#ifdef SANITIZED

std::string sgemm_test::skip_reason() { return "the sanitizer has an allocator of its own"; }

#else

namespace {

void count(void *caller) {
  if (!counting || is_driver(caller)) return;
  if (allocations++ == 0) first_caller = caller;
}

}  // namespace

extern "C" {

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

__attribute__((visibility("default"))) void *malloc(size_t bytes) {
  count(__builtin_return_address(0));
  return __libc_malloc(bytes);
}

__attribute__((visibility("default"))) void *calloc(size_t number, size_t bytes) {
  count(__builtin_return_address(0));
  return __libc_calloc(number, bytes);
}

__attribute__((visibility("default"))) void *realloc(void *memory, size_t bytes) {
  count(__builtin_return_address(0));
  return __libc_realloc(memory, bytes);
}

__attribute__((visibility("default"))) void *aligned_alloc(size_t alignment, size_t bytes) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}

__attribute__((visibility("default"))) int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  count(__builtin_return_address(0));
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}

__attribute__((visibility("default"))) void *mmap(void *address, size_t bytes, int protection, int flags, int file,
                                                  off_t offset) noexcept {
  count(__builtin_return_address(0));
  return reinterpret_cast<void *>(syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}
}

#endif

namespace {

std::string file_of(void *code) {
  Dl_info info;
  return code != nullptr && dladdr(code, &info) != 0 ? info.dli_fname : "nowhere";
}

// The matrices are where the backend computes, since the bookkeeping of copies to a GPU allocates host memory.
class Operands {
 public:
  Operands(const std::vector<const Problem *> &problems, libsgemm_layout_t layout, const Strides &strides = {})
      : host_(problems, layout, strides) {
    if (!subject().is_gpu) return;
    REQUIRE(gpu::missing() == "");
    device_.emplace(&host_, problems, strides);
  }
  const Args &args() const { return device_ ? device_->args() : host_.args(); }

 private:
  Placement host_;
  std::optional<gpu::DevicePlacement> device_;
};

template <typename Work>
void check_allocates_nothing(Work work) {
  constexpr int kRuns = 5;
  for (int i = 0; i < 3; ++i) REQUIRE(work() == LIBSGEMM_SUCCESS);
  is_driver(nullptr);  // the first backtrace() loads a library
  allocations = 0;
  counting = true;
  bool success = true;
  for (int i = 0; i < kRuns; ++i) success = work() == LIBSGEMM_SUCCESS && success;
  counting = false;
  INFO("first allocation by " << file_of(first_caller));
  CHECK(success);
  CHECK(allocations == 0);
}

}  // namespace

TEST_CASE("the counter counts") {
  is_driver(nullptr);
  allocations = 0;
  counting = true;
  void *volatile plain = std::malloc(10);
  int *volatile object = new int(1);
  void *volatile aligned = std::aligned_alloc(64, 64);
  void *volatile mapped = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  counting = false;
  std::free(plain);
  delete object;
  std::free(aligned);
  munmap(mapped, 4096);
  CHECK(allocations == 4);
}

TEST_CASE("a call allocates nothing after warm-up") {
  Handle handle;
  for (const Routine routine : kSingleRoutines) {
    for (const int64_t size : {1, 8, 65, 200}) {
      for (const libsgemm_layout_t layout : {LIBSGEMM_COL_MAJOR, LIBSGEMM_ROW_MAJOR}) {
        Case test;
        test.routine = routine;
        test.m = test.n = test.k = size;
        const Problem problem = make_problem(test);
        const Operands operands({&problem}, layout);
        INFO(describe(test) << " layout " << layout);
        check_allocates_nothing([&] { return call(routine, operands.args()); });
        check_allocates_nothing([&] { return call(routine, handle, operands.args()); });
        REQUIRE(std::string(last_info().backend) == subject().backend);
      }
    }
  }
}

TEST_CASE("a batch allocates nothing after warm-up") {
  for (const Routine routine : kStridedRoutines) {
    for (const int64_t size : {4, 40}) {
      Case test;
      test.routine = single_of(routine);
      test.m = test.n = test.k = size;
      const Problem problem = make_problem(test);
      const Operands operands({&problem, &problem, &problem}, LIBSGEMM_COL_MAJOR, {0, 0, 2000});
      INFO(entry_name(routine) << " " << size);
      check_allocates_nothing([&] { return call(routine, operands.args()); });
    }
  }
}

TEST_CASE("errors and quick returns allocate nothing") {
  Args args;
  check_allocates_nothing([&] { return call(Routine::kSgemm, args); });
  Args wrong;
  wrong.m = -1;
  check_allocates_nothing([&] {
    return call(Routine::kSgemm, wrong) == LIBSGEMM_INVALID_ARGUMENT ? LIBSGEMM_SUCCESS : LIBSGEMM_EXECUTION_FAILED;
  });
}
