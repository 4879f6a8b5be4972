#include "blas.h"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>

#include "blas_call.h"
#include "process/elf_file.h"
#include "process/immortal.h"

namespace libsgemm {
namespace {

CpuBlas &g_blas = immortal<CpuBlas>();  // written once, by blas_open()
bool g_loaded_by_us = false;

// RTLD_DEEPBIND keeps the library's inner calls from a preloaded drop-in. The sanitizers refuse the flag; without it,
// such calls are still recognised.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIBSGEMM_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIBSGEMM_SANITIZED
#endif
#if defined(LIBSGEMM_SANITIZED)
constexpr int kDeepBind = 0;
#else
constexpr int kDeepBind = RTLD_DEEPBIND;
#endif

// A variable that is set while a library is loaded. setenv(): glibc locks it against other threads, whose variables our
// own list in `environ` would lose. The list may still move under a thread that reads it.
class AddedVariable {
 public:
  AddedVariable(const char *name, const char *value)
      : name_(getenv(name) == nullptr && setenv(name, value, 0) == 0 ? name : nullptr) {}
  ~AddedVariable() {
    if (name_ != nullptr) unsetenv(name_);
  }
  AddedVariable(const AddedVariable &) = delete;
  AddedVariable &operator=(const AddedVariable &) = delete;

 private:
  const char *const name_;  // NULL: the program has set it
};

// OpenBLAS's threads spin for 2^28 ticks (0.13 s) after a call, which slows a GPU call's copying threads up to five
// times. 2^22 ticks are 2 ms.
void *load(const char *file) {
  const AddedVariable shorter("OPENBLAS_THREAD_TIMEOUT", "22");
  return dlopen(file, RTLD_NOW | RTLD_LOCAL | kDeepBind);
}

char op(libsgemm_op_t value) { return value == LIBSGEMM_NO_TRANS ? 'N' : 'T'; }
char side(const GemmDesc &d) { return d.side == LIBSGEMM_LEFT ? 'L' : 'R'; }
char uplo(const GemmDesc &d) { return d.uplo == LIBSGEMM_UPPER ? 'U' : 'L'; }
char diag(const GemmDesc &d) { return d.diag == LIBSGEMM_UNIT ? 'U' : 'N'; }

}  // namespace

libsgemm_status_t blas_open(const Host &host, Error *error) {
  const CpuBlas *const own = host.program_blas();
  if (host.cpu_blas == nullptr && own != nullptr) {
    g_blas = *own;
    return LIBSGEMM_SUCCESS;
  }
  const char *file = host.cpu_blas != nullptr ? host.cpu_blas : "libopenblas.so.0";
  std::string problem;
  if (std::strchr(file, '/') != nullptr && !check_shared_object(file, nullptr, &problem)) {
    set_error(error, problem.c_str());
    return LIBSGEMM_UNAVAILABLE;
  }
  if (const char *const missing = lacks_for_loading()) {
    set_error(error, "%s: %s", file, missing);
    return LIBSGEMM_UNAVAILABLE;
  }
  void *library = load(file);
  if (library == nullptr) {
    set_error(error, "%s", dlerror());
    return LIBSGEMM_UNAVAILABLE;
  }
  bool found = false;
  for (const Spelling &spelling : kSpellings) {
    if (!found && problem.empty()) found = resolve_blas(functions_of(library), spelling, file, &g_blas, &problem);
  }
  if (!found) {
    if (problem.empty()) problem = std::string(file) + " has no function sgemm_";
    set_error(error, problem.c_str());
    return LIBSGEMM_UNAVAILABLE;
  }
  if (host.is_libsgemm(reinterpret_cast<const void *>(g_blas.gemm))) {
    set_error(error, "%s is libsgemm itself: calling it would recurse", file);
    return LIBSGEMM_UNAVAILABLE;
  }
  if (const char *const missing = wait_for_threads(g_blas)) {
    set_error(error, "%s: %s", file, missing);
    return LIBSGEMM_UNAVAILABLE;
  }
  g_loaded_by_us = true;
  return LIBSGEMM_SUCCESS;
}

const char *blas_version() { return g_blas.version.c_str(); }
const char *blas_arch() { return g_blas.arch.c_str(); }
int blas_threads() { return g_blas.threads(); }
void blas_end_threads() {
  if (g_loaded_by_us && g_blas.end_threads != nullptr) g_blas.end_threads();
}

const CpuBlas &blas_for(const Launch &launch) { return launch.blas != nullptr ? *launch.blas : g_blas; }

bool blas_fits(const CpuBlas &blas, const GemmDesc &d) {
  return blas.wide || (d.m <= INT_MAX && d.n <= INT_MAX && d.k <= INT_MAX && d.lda <= INT_MAX && d.ldb <= INT_MAX &&
                       d.ldc <= INT_MAX);
}

void blas_gemm(const CpuBlas &blas, const GemmDesc &d) {
  const char ta = op(d.transa), tb = op(d.transb);
  blas.gemm(&ta, &tb, &d.m, &d.n, &d.k, &d.alpha, d.a, &d.lda, d.b, &d.ldb, &d.beta, d.c, &d.ldc, 1, 1);
}

void blas_symm(const CpuBlas &blas, const GemmDesc &d) {
  const char s = side(d), u = uplo(d);
  blas.symm(&s, &u, &d.m, &d.n, &d.alpha, d.a, &d.lda, d.b, &d.ldb, &d.beta, d.c, &d.ldc, 1, 1);
}

void blas_syrk(const CpuBlas &blas, const GemmDesc &d) {
  const char u = uplo(d), t = op(d.transa);
  blas.syrk(&u, &t, &d.n, &d.k, &d.alpha, d.a, &d.lda, &d.beta, d.c, &d.ldc, 1, 1);
}

void blas_syr2k(const CpuBlas &blas, const GemmDesc &d) {
  const char u = uplo(d), t = op(d.transa);
  blas.syr2k(&u, &t, &d.n, &d.k, &d.alpha, d.a, &d.lda, d.b, &d.ldb, &d.beta, d.c, &d.ldc, 1, 1);
}

void blas_trmm(const CpuBlas &blas, const GemmDesc &d) {
  const char s = side(d), u = uplo(d), t = op(d.transa), g = diag(d);
  blas.trmm(&s, &u, &t, &g, &d.m, &d.n, &d.alpha, d.a, &d.lda, d.c, &d.ldc, 1, 1, 1, 1);
}

void blas_trsm(const CpuBlas &blas, const GemmDesc &d) {
  const char s = side(d), u = uplo(d), t = op(d.transa), g = diag(d);
  blas.trsm(&s, &u, &t, &g, &d.m, &d.n, &d.alpha, d.a, &d.lda, d.c, &d.ldc, 1, 1, 1, 1);
}

}  // namespace libsgemm
