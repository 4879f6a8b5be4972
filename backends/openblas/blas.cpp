// Finding a BLAS and calling it.
//
// The Fortran names are used because every BLAS has them and the descriptions are column-major already. Integers are 32
// bits wide, or 64 in a library that says so (OpenBLAS built with USE64BITINT) or whose names carry the suffix of such
// builds.
#include "blas.h"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>

#include "elf_file.h"

namespace libsgemm {
namespace {

// Integers are passed by address. On little-endian machines a callee that reads 32 bits of a 64-bit integer sees its
// value, so one set of signatures serves both widths.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "integer arguments are shared between both widths");

using Int = int64_t;
using Gemm = void (*)(const char *, const char *, const Int *, const Int *, const Int *, const float *, const void *,
                      const Int *, const void *, const Int *, const float *, float *, const Int *, size_t, size_t);
using Symm = void (*)(const char *, const char *, const Int *, const Int *, const float *, const void *, const Int *,
                      const void *, const Int *, const float *, float *, const Int *, size_t, size_t);
using Syrk = void (*)(const char *, const char *, const Int *, const Int *, const float *, const void *, const Int *,
                      const float *, float *, const Int *, size_t, size_t);
using Syr2k = Symm;
using Triangular = void (*)(const char *, const char *, const char *, const char *, const Int *, const Int *,
                            const float *, const void *, const Int *, float *, const Int *, size_t, size_t, size_t,
                            size_t);

struct Blas {
  Gemm gemm;
  Symm symm;
  Syrk syrk;
  Syr2k syr2k;
  Triangular trmm, trsm;
  int (*threads)();
  int (*end_threads)();
  bool wide;
  std::string version, arch;
};

Blas g_blas;  // written once by blas_open

// The spellings under which builds of OpenBLAS export a Fortran name; %s is the name. "64" marks 64-bit integers.
struct Scheme {
  const char *prefix, *suffix;
};
constexpr Scheme kSchemes[] = {{"", "_"}, {"", "_64_"}, {"scipy_", "_"}, {"scipy_", "_64_"}};

void *symbol(void *library, const Scheme &scheme, const char *name) {
  return dlsym(library, (std::string(scheme.prefix) + name + scheme.suffix).c_str());
}

template <typename Function>
bool resolve(void *library, const Scheme &scheme, const char *name, Function *function) {
  *function = reinterpret_cast<Function>(symbol(library, scheme, name));
  return *function != nullptr;
}

// RTLD_DEEPBIND keeps the library's inner calls its own when a drop-in is preloaded. The sanitizers refuse the flag;
// without it calls that come back to us are recognised all the same.
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

// A variable of the environment for what is loaded meanwhile. By setenv() and unsetenv(), which glibc locks against
// those of other threads: a list of our own in place of `environ` would take along what another thread sets meanwhile.
// The price is that the list may move under a thread that reads it, as with any setenv().
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
  const char *const name_;  // NULL: the program's own is left alone
};

// OpenBLAS's threads spin for 2^28 ticks after a call, 0.13 s, on all cores. A call on a GPU that comes next copies
// with threads of its own, and they wait for each other: 4096 x 16 x 4096 on an H100 took 10 ms instead of 2. 2^22
// ticks are 2 ms, after which threads sleep; a program's own OPENBLAS_THREAD_TIMEOUT is left alone.
void *load(const char *file) {
  const AddedVariable shorter("OPENBLAS_THREAD_TIMEOUT", "22");
  return dlopen(file, RTLD_NOW | RTLD_LOCAL | kDeepBind);
}

// What the library says of itself: "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Haswell MAX_THREADS=64".
void identify(void *library, const Scheme &scheme, const std::string &file) {
  using Text = const char *(*)();
  const std::string suffix = std::strstr(scheme.suffix, "64") != nullptr ? "64_" : "";
  const auto find = [&](const std::string &name) { return dlsym(library, (scheme.prefix + name + suffix).c_str()); };
  const Text config = reinterpret_cast<Text>(find("openblas_get_config"));
  const Text core = reinterpret_cast<Text>(find("openblas_get_corename"));
  g_blas.threads = reinterpret_cast<int (*)()>(find("openblas_get_num_threads"));
  // OpenBLAS does this itself, but not in a fork that began before it was loaded.
  g_blas.end_threads =
      reinterpret_cast<int (*)()>(dlsym(library, (scheme.prefix + std::string("blas_thread_shutdown_")).c_str()));
  const std::string text = config != nullptr ? config() : "";
  g_blas.wide = !suffix.empty() || text.find("USE64BITINT") != std::string::npos;
  g_blas.arch = core != nullptr ? core() : "";
  const size_t second_space = text.find(' ', text.find(' ') + 1);
  g_blas.version = text.empty() ? file : text.substr(0, second_space) + " " + g_blas.arch;
}

char op(libsgemm_op_t value) { return value == LIBSGEMM_NO_TRANS ? 'N' : 'T'; }
char side(const GemmDesc &d) { return d.side == LIBSGEMM_LEFT ? 'L' : 'R'; }
char uplo(const GemmDesc &d) { return d.uplo == LIBSGEMM_UPPER ? 'U' : 'L'; }
char diag(const GemmDesc &d) { return d.diag == LIBSGEMM_UNIT ? 'U' : 'N'; }

}  // namespace

libsgemm_status_t blas_open(const Host &host, Error *error) {
  const char *file = host.cpu_blas != nullptr ? host.cpu_blas : "libopenblas.so.0";
  std::string problem;
  if (std::strchr(file, '/') != nullptr && !check_shared_object(file, nullptr, &problem)) {
    set_error(error, problem.c_str());
    return LIBSGEMM_UNAVAILABLE;
  }
  void *library = load(file);
  if (library == nullptr) {
    set_error(error, "%s", dlerror());
    return LIBSGEMM_UNAVAILABLE;
  }
  const Scheme *scheme = nullptr;
  for (const Scheme &candidate : kSchemes) {
    if (scheme == nullptr && symbol(library, candidate, "sgemm") != nullptr) scheme = &candidate;
  }
  if (scheme == nullptr) {
    set_error(error, "%s has no function sgemm_", file);
    return LIBSGEMM_UNAVAILABLE;
  }
  Blas &b = g_blas;
  if (!resolve(library, *scheme, "sgemm", &b.gemm) || !resolve(library, *scheme, "ssymm", &b.symm) ||
      !resolve(library, *scheme, "ssyrk", &b.syrk) || !resolve(library, *scheme, "ssyr2k", &b.syr2k) ||
      !resolve(library, *scheme, "strmm", &b.trmm) || !resolve(library, *scheme, "strsm", &b.trsm)) {
    set_error(error, "%s has not all of sgemm, ssymm, ssyrk, ssyr2k, strmm and strsm", file);
    return LIBSGEMM_UNAVAILABLE;
  }
  if (host.is_libsgemm(reinterpret_cast<const void *>(b.gemm))) {
    set_error(error, "%s is libsgemm itself: calling it would recurse", file);
    return LIBSGEMM_UNAVAILABLE;
  }
  identify(library, *scheme, file);
  return LIBSGEMM_SUCCESS;
}

const char *blas_version() { return g_blas.version.c_str(); }
const char *blas_arch() { return g_blas.arch.c_str(); }
int blas_threads() { return g_blas.threads != nullptr ? g_blas.threads() : 1; }
void blas_end_threads() {
  if (g_blas.end_threads != nullptr) g_blas.end_threads();
}

bool blas_fits(const GemmDesc &d) {
  return g_blas.wide || (d.m <= INT_MAX && d.n <= INT_MAX && d.k <= INT_MAX && d.lda <= INT_MAX && d.ldb <= INT_MAX &&
                         d.ldc <= INT_MAX);
}

void blas_gemm(const GemmDesc &d) {
  const char ta = op(d.transa), tb = op(d.transb);
  g_blas.gemm(&ta, &tb, &d.m, &d.n, &d.k, &d.alpha, d.a, &d.lda, d.b, &d.ldb, &d.beta, d.c, &d.ldc, 1, 1);
}

void blas_symm(const GemmDesc &d) {
  const char s = side(d), u = uplo(d);
  g_blas.symm(&s, &u, &d.m, &d.n, &d.alpha, d.a, &d.lda, d.b, &d.ldb, &d.beta, d.c, &d.ldc, 1, 1);
}

void blas_syrk(const GemmDesc &d) {
  const char u = uplo(d), t = op(d.transa);
  g_blas.syrk(&u, &t, &d.n, &d.k, &d.alpha, d.a, &d.lda, &d.beta, d.c, &d.ldc, 1, 1);
}

void blas_syr2k(const GemmDesc &d) {
  const char u = uplo(d), t = op(d.transa);
  g_blas.syr2k(&u, &t, &d.n, &d.k, &d.alpha, d.a, &d.lda, d.b, &d.ldb, &d.beta, d.c, &d.ldc, 1, 1);
}

void blas_trmm(const GemmDesc &d) {
  const char s = side(d), u = uplo(d), t = op(d.transa), g = diag(d);
  g_blas.trmm(&s, &u, &t, &g, &d.m, &d.n, &d.alpha, d.a, &d.lda, d.c, &d.ldc, 1, 1, 1, 1);
}

void blas_trsm(const GemmDesc &d) {
  const char s = side(d), u = uplo(d), t = op(d.transa), g = diag(d);
  g_blas.trsm(&s, &u, &t, &g, &d.m, &d.n, &d.alpha, d.a, &d.lda, d.c, &d.ldc, 1, 1, 1, 1);
}

}  // namespace libsgemm
