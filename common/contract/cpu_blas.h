// A BLAS of the CPU: its six level-3 functions under one signature for both widths of integers, its dgemm, and what it
// reports about itself. The openblas backend finds it, or the drop-in, which looks for the program's own BLAS.
//
// The Fortran names are used because every BLAS has them and descriptions are column-major already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace libsgemm {

// The spellings under which libraries export the Fortran names of a BLAS, and whether its integers have 64 bits
// (`wide`).
struct Spelling {
  const char *prefix, *suffix;
  bool wide;
};
constexpr Spelling kSpellings[] = {
    {"", "_", false}, {"", "_64_", true}, {"scipy_", "_", false}, {"scipy_", "_64_", true}};
constexpr int kSpellingCount = static_cast<int>(sizeof kSpellings / sizeof kSpellings[0]);

struct CpuBlas {
  // Integers are passed by address. On little-endian machines a callee that reads 32 bits of a 64-bit integer sees its
  // value, so one set of signatures serves both widths.
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
  GemmFp64 gemm_fp64;    // NULL: the library has no dgemm
  int (*get_threads)();  // NULL: the library does not report it
  int (*end_threads)();  // OpenBLAS only; its threads start again with the next call
  // OpenBLAS has a fixed number of buffers. most_calls: how many calls may be inside at once. take_buffer,
  // return_buffer: allocate and free a buffer. threads_run: nonzero if its threads have been started. Other libraries:
  // INT_MAX and NULL.
  int most_calls;
  void *(*take_buffer)(int);
  void (*return_buffer)(void *);
  const volatile int *threads_run;
  bool wide;            // integers of 64 bits
  bool has_lapack;      // the library, or one that it depends on, has LAPACK, too
  std::string version;  // "OpenBLAS 0.3.21 Haswell"; the file's name if the library does not report it
  std::string arch;     // "Haswell"; "" if the library does not report it
  std::string file;     // where it was loaded from

  // OpenBLAS accepts more than the reference BLAS: in sgemm a leading dimension of 0 for an operand without elements,
  // and CblasConjNoTrans.
  bool is_openblas() const { return version.rfind("OpenBLAS ", 0) == 0; }

  // Number of threads that compute the next call; 1 if the library does not report it.
  int threads() const {
    const int count = get_threads != nullptr ? get_threads() : 1;
    return count > 0 ? count : 1;
  }
};

// Looks up a function of a library by its name; NULL: the library has no such function.
using Functions = std::function<void *(const char *)>;
// For a handle of dlopen: also finds the functions of the libraries that it depends on.
Functions functions_of(void *library);

// Finds the BLAS in a library under one spelling. False if it has no sgemm; also false, with the reason in *problem, if
// it has sgemm, but not all of the others.
bool resolve_blas(const Functions &library, const Spelling &spelling, const std::string &file, CpuBlas *blas,
                  std::string *problem);

}  // namespace libsgemm
