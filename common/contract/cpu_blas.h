// A BLAS of the CPU: its six level-3 functions under one signature, whatever the width of its integers, its dgemm,
// and what it says of itself. Found by the openblas backend, or by the drop-in, which looks for the one that the
// program has.
//
// The Fortran names are used because every BLAS has them and descriptions are column-major already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace libsgemm {

// The spellings under which a BLAS exports its Fortran names, and what the integers behind them are.
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
  GemmFp64 gemm_fp64;    // NULL: it has none
  int (*get_threads)();  // NULL: it does not tell
  int (*end_threads)();  // of OpenBLAS; they start again with the next call
  // OpenBLAS has a fixed number of buffers: how many calls may be inside at once; functions to take one and to give it
  // back; whether its threads have been started. NULL, and INT_MAX: there is nothing of the kind.
  int most_calls;
  void *(*take_buffer)(int);
  void (*return_buffer)(void *);
  const volatile int *threads_run;
  bool wide;            // integers of 64 bits
  bool has_lapack;      // the library, or what it needs, has LAPACK, too
  std::string version;  // "OpenBLAS 0.3.21 Haswell"; the file's name for one that does not tell
  std::string arch;     // "Haswell"; "" if it does not tell
  std::string file;     // where it was loaded from

  // Its checks let more pass than the reference BLAS: a leading dimension of 0 in sgemm, of an operand without
  // elements, and CblasConjNoTrans.
  bool is_openblas() const { return version.rfind("OpenBLAS ", 0) == 0; }

  // With which the next call is computed; 1 if it does not tell.
  int threads() const {
    const int count = get_threads != nullptr ? get_threads() : 1;
    return count > 0 ? count : 1;
  }
};

// The functions of a library by their names; NULL: it has no such function.
using Functions = std::function<void *(const char *)>;
// Of a handle of dlopen: of what that needs, too.
Functions functions_of(void *library);

// The BLAS in a library, by one spelling. False if there is no sgemm of it; or, with the reason in *problem, if there
// is one, but not all of the others.
bool resolve_blas(const Functions &library, const Spelling &spelling, const std::string &file, CpuBlas *blas,
                  std::string *problem);

}  // namespace libsgemm
