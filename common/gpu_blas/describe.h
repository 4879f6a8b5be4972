// Translates calls of either vendor's BLAS.
#pragma once

#include "gpu_blas/take.h"

namespace libsgemm {

Product product(const char *entry, VendorHandle handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta, void *c,
                int64_t ldc);
Product symmetric(const char *entry, VendorHandle handle, Routine routine, int uplo, int trans, int64_t n, int64_t k);
// C = alpha op(A) op(B)^T + beta C, symmetric by the caller's promise.
Product syrkx(const char *entry, VendorHandle handle, int uplo, int trans, int64_t n, int64_t k);
Product triangular(const char *entry, VendorHandle handle, Routine routine, int side, int uplo, int trans, int diag,
                   int64_t m, int64_t n);

// False if the call would be refused or has nothing to multiply.
bool is_worth_a_copy(const Product &p, int64_t lda, int64_t ldb, int64_t ldc);

}  // namespace libsgemm
