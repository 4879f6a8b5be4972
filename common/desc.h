// What is asked of a backend: one plain, printable struct for every routine.
//
// A description is always legal, never empty and column-major: checks, BLAS quick returns and the row-major swap
// happen above the backends (check.cpp, dispatch.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "libsgemm.h"

namespace libsgemm {

enum class Routine : int32_t { gemm, symm, syrk, syr2k, trmm, trsm, gemmtr };
enum class Type : int32_t { f32, f16, bf16 };
enum class Batch : int32_t { none, strided, pointers };

inline size_t size_of(Type type) { return type == Type::f32 ? 4 : 2; }

// routine   computes (op(X) is X or X^T)                                 stored A         stored B       C
// gemm      C = alpha op(A) op(B) + beta C                               op(A) = m x k    op(B) = k x n  m x n
// gemmtr    the same for the uplo triangle of C, m == n                  op(A) = n x k    op(B) = k x n  n x n
// symm      C = alpha A B + beta C (left), alpha B A + beta C (right)    k x k, uplo      m x n          m x n
// syrk      C = alpha op(A) op(A)^T + beta C, uplo triangle, m == n      op(A) = n x k    -              n x n
// syr2k     C = alpha (op(A) op(B)^T + op(B) op(A)^T) + beta C, uplo     op(A) = n x k    op(B) = n x k  n x n
// trmm      C = alpha op(A) C (left), alpha C op(A) (right)              k x k, uplo      -              m x n
// trsm      op(A) X = alpha C (left), X op(A) = alpha C (right), X -> C  k x k, uplo      -              m x n
// For symm, trmm and trsm k is m (left) or n (right). beta is 0 for trmm and 1 for trsm, which both read C. trmm and
// trsm have alpha != 0; the others alpha != 0 and k > 0, except in Backend::scale.
struct GemmDesc {
  Routine routine;
  Type type;  // of A and B; C is FP32
  libsgemm_math_mode_t math_mode;
  libsgemm_op_t transa, transb;  // NO_TRANS or TRANS; of syrk and syr2k: transa for both operands
  libsgemm_side_t side;
  libsgemm_uplo_t uplo;
  libsgemm_diag_t diag;
  bool deterministic;  // the result must be bitwise the same run after run

  int64_t m, n, k;
  float alpha, beta;
  int64_t lda, ldb, ldc;  // elements
  const void *a, *b;
  float *c;

  // Batch::none: batch_count is 1. strided: product i is at a + i * stride_a elements, ... pointers: at a_array[i], ...
  Batch batch;
  int64_t batch_count;
  int64_t stride_a, stride_b, stride_c;
  const void *const *a_array, *const *b_array;
  float *const *c_array;

  // Of a single gemm of FP32 in a mode that splits: what Backend::plan made of op(A), of op(B)^T; NULL: nothing yet.
  // Rows of other arithmetic than math_mode do not look at them.
  const void *plan_a, *plan_b;
};

// A stored matrix in column-major order: rows x cols elements of `size` bytes, columns ld elements apart.
// `lower`/`upper`: only that triangle (with the diagonal) belongs to it.
struct Stored {
  enum Part { all, upper, lower };
  const char *base;
  int64_t rows, cols, ld;
  size_t size;
  Part part;
};

Stored stored_a(const GemmDesc &desc);
Stored stored_b(const GemmDesc &desc);  // rows == 0 if the routine has no B
Stored stored_c(const GemmDesc &desc);

// True if trmm or trsm: C is an input of the product.
inline bool in_place(const GemmDesc &desc) { return desc.routine == Routine::trmm || desc.routine == Routine::trsm; }

// True if the routine reads what C holds.
inline bool reads_c(const GemmDesc &desc) { return in_place(desc) || desc.beta != 0.0f; }

// Product i of a batch as a description of its own; pointer arrays must be in host memory.
GemmDesc batch_item(const GemmDesc &desc, int64_t i);

// Multiplications and additions of the whole description; 0 never.
double flop_count(const GemmDesc &desc);

// "sgemm", "ssyrk", "shgemm_batch_strided", ...: the public name without its prefix.
std::string routine_name(const GemmDesc &desc);

// One line for the log: "sgemm N T m=.. n=.. k=.. alpha=.. lda=.. ...".
std::string to_string(const GemmDesc &desc);

const char *math_mode_name(libsgemm_math_mode_t mode);

}  // namespace libsgemm
