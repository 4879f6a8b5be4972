// Products of both vendors, and batches by strides.
#pragma once

#include "gpu_blas/describe.h"
#include "gpu_blas/real.h"

#define GEMM(INT, name)                                                                                           \
  LIBSGEMM_API int name(VendorHandle handle, int transa, int transb, INT m, INT n, INT k, const float *alpha,     \
                        const float *a, INT lda, const float *b, INT ldb, const float *beta, float *c, INT ldc) { \
    static Real<decltype(name)> real(#name);                                                                      \
    const Product p = product(#name, handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);       \
    return take(p, [&] { return real(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); });   \
  }

#define GEMM_STRIDED(INT, name)                                                                                       \
  LIBSGEMM_API int name(VendorHandle handle, int transa, int transb, INT m, INT n, INT k, const float *alpha,         \
                        const float *a, INT lda, long long stride_a, const float *b, INT ldb, long long stride_b,     \
                        const float *beta, float *c, INT ldc, long long stride_c, INT count) {                        \
    static Real<decltype(name)> real(#name);                                                                          \
    Product p = product(#name, handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                 \
    p.strides(stride_a, stride_b, stride_c, count);                                                                   \
    return take(p, [&] {                                                                                              \
      return real(handle, transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, \
                  count);                                                                                             \
    });                                                                                                               \
  }
