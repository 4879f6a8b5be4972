// A CPU's BLAS: its six level-3 functions and its dgemm, by Fortran names, which every BLAS has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace libsgemm {

// How libraries spell Fortran names. `wide`: integers of 64 bits.
struct Spelling {
  const char *prefix, *suffix;
  bool wide;
};
constexpr Spelling kSpellings[] = {
    {"", "_", false}, {"", "_64_", true}, {"scipy_", "_", false}, {"scipy_", "_64_", true}};
constexpr int kSpellingCount = static_cast<int>(sizeof kSpellings / sizeof kSpellings[0]);

struct CpuBlas {
  // Integers are passed by address. A little-endian callee that reads 32 of 64 bits sees the value.
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "integer arguments are shared between both widths");
  using Int = int64_t;
  using Gemm = void (*)(const char *, const char *, const Int *, const Int *, const Int *, const float *, const void *,
                        const Int *, const void *, const Int *, const float *, float *, const Int *, size_t, size_t);
  using GemmFp64 = void (*)(const char *, const char *, const Int *, const Int *, const Int *, const double *,
                            const double *, const Int *, const double *, const Int *, const double *, double *,
                            const Int *, size_t, size_t);
  using Symm = void (*)(const char *, const char *, const Int *, const Int *, const float *, const void *, const Int *,
                        const void *, const Int *, const float *, float *, const Int *, size_t, size_t);
  using Syrk = void (*)(const char *, const char *, const Int *, const Int *, const float *, const void *, const Int *,
                        const float *, float *, const Int *, size_t, size_t);
  using Syr2k = Symm;
  using Triangular = void (*)(const char *, const char *, const char *, const char *, const Int *, const Int *,
                              const float *, const void *, const Int *, float *, const Int *, size_t, size_t, size_t,
                              size_t);

  Gemm gemm;
  Symm symm;
  Syrk syrk;
  Syr2k syr2k;
  Triangular trmm, trsm;
  GemmFp64 gemm_fp64;    // NULL: no dgemm
  int (*get_threads)();  // NULL: not reported
  int (*end_threads)();  // OpenBLAS only; they start again with the next call
  // most_calls may be inside at once, as many as OpenBLAS has buffers for. take_buffer and return_buffer allocate and
  // free one. threads_run: nonzero if its threads have started. Other libraries: INT_MAX, NULL.
  int most_calls;
  void *(*take_buffer)(int);
  void (*return_buffer)(void *);
  const volatile int *threads_run;
  bool wide;            // integers of 64 bits
  bool has_lapack;      // the library or its dependencies have LAPACK
  std::string version;  // "OpenBLAS 0.3.21 Haswell"; the file's name if not reported
  std::string arch;
  std::string file;

  // Accepts more than the reference BLAS: in sgemm a leading dimension of 0 for an empty operand, and CblasConjNoTrans.
  bool is_openblas() const { return version.rfind("OpenBLAS ", 0) == 0; }

  // Threads of the next call; 1 if not reported.
  int threads() const {
    const int count = get_threads != nullptr ? get_threads() : 1;
    return count > 0 ? count : 1;
  }
};

using Functions = std::function<void *(const char *)>;
// Includes functions of the library's dependencies.
Functions functions_of(void *library);

// False: no sgemm under this spelling, or, with *problem, not all of the others.
bool resolve_blas(const Functions &library, const Spelling &spelling, const std::string &file, CpuBlas *blas,
                  std::string *problem);

}  // namespace libsgemm
