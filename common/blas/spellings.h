// Names under which programs look for a BLAS routine:
//   sgemm_                             LAPACK, Octave, SciPy before 1.14
//   sgemm_64_                          ILP64 builds, Julia, reference BLAS 3.10 and later
//   scipy_sgemm_, scipy_sgemm_64_      SciPy's wheels, and their ILP64 builds
//   cblas_sgemm                        Debian's NumPy, C programs
//   cblas_sgemm64_                     NumPy's wheels up to 1.26, OpenBLAS built with a suffix
//   cblas_sgemm_64                     reference CBLAS 3.10 and later
//   scipy_cblas_sgemm                  wheels with 32-bit integers
//   scipy_cblas_sgemm64_               NumPy's wheels from 2.0
// DEFINE(INT, name, handler) defines a function; `handler` is the program's error handler of that spelling.
#pragma once

#define FORTRAN_SPELLINGS(DEFINE, routine)             \
  DEFINE(int32_t, routine##_, "xerbla_")               \
  DEFINE(int64_t, routine##_64_, "xerbla_64_")         \
  DEFINE(int32_t, scipy_##routine##_, "scipy_xerbla_") \
  DEFINE(int64_t, scipy_##routine##_64_, "scipy_xerbla_64_")

#define CBLAS_SPELLINGS(DEFINE, routine)                       \
  DEFINE(int32_t, cblas_##routine, "cblas_xerbla")             \
  DEFINE(int64_t, cblas_##routine##64_, "cblas_xerbla64_")     \
  DEFINE(int64_t, cblas_##routine##_64, "cblas_xerbla_64")     \
  DEFINE(int32_t, scipy_cblas_##routine, "scipy_cblas_xerbla") \
  DEFINE(int64_t, scipy_cblas_##routine##64_, "scipy_cblas_xerbla64_")
