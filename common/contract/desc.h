// A call for a backend, for every routine: always legal, never empty, column-major. check.cpp and
// dispatch.cpp check, return early and swap row-major calls.
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
// For symm, trmm and trsm k is m (left) or n (right). beta is 0 for trmm and 1 for trsm, which both read C. alpha != 0,
// and k > 0 except for trmm and trsm; Backend::scale has neither condition.

// Checks, the row-major swap, views, tiles, costs and names derive from these differences between the routines.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order in which they are written
struct RoutineTraits {
  Routine routine;
  const char *name;

  // Stored A. general: op(A) is m x k, by transa. Else k x k, of which the uplo triangle is stored.
  enum A : int8_t { general, symmetric, triangular } a;

  enum B : int8_t {
    free,  // op(B), k x n, by transb
    as_a,  // op(B)^T, where op(B) is n x k, by transa; the product with A and B exchanged is added
    as_c,  // B, m x n
    is_a,  // op(A)^T; no B
    is_c,  // old C, which CBLAS calls B
  } b;

  bool triangle_of_c;  // only the uplo triangle of C is read and written; m == n
  bool of_16_bits;     // A and B may have 16 bits

  // How a row-major call becomes column-major in the same memory, besides swapping m with n and the triangles.
  enum RowMajor : int8_t {
    operands_swap,  // A and B, with all their arguments
    trans_flips,    // the one transposition, of both operands
    side_flips,
  } row_major;

  // In CBLAS order, for a single call and its other forms; NULL: no such form.
  const char *arguments, *strided = nullptr, *planned = nullptr;

  constexpr bool has_b() const { return b == free || b == as_a || b == as_c; }
  constexpr bool in_place() const { return b == is_c; }
  constexpr bool one_sided() const { return a != general; }  // A is square
  constexpr bool takes(Type type) const { return type == Type::f32 || of_16_bits; }
  constexpr int terms() const { return b == as_a ? 2 : 1; }  // products summed
};

constexpr RoutineTraits kRoutines[] = {
    {Routine::gemm, "gemm", RoutineTraits::general, RoutineTraits::free, false, true, RoutineTraits::operands_swap,
     "layout transa transb m n k alpha A lda B ldb beta C ldc",
     "layout transa transb m n k alpha A lda stride_a B ldb stride_b beta C ldc stride_c batch_count",
     "layout transa transb m n k alpha A lda plan_a B ldb plan_b beta C ldc"},
    {Routine::symm, "symm", RoutineTraits::symmetric, RoutineTraits::as_c, false, false, RoutineTraits::side_flips,
     "layout side uplo m n alpha A lda B ldb beta C ldc"},
    {Routine::syrk, "syrk", RoutineTraits::general, RoutineTraits::is_a, true, true, RoutineTraits::trans_flips,
     "layout uplo trans n k alpha A lda beta C ldc",
     "layout uplo trans n k alpha A lda stride_a beta C ldc stride_c batch_count"},
    {Routine::syr2k, "syr2k", RoutineTraits::general, RoutineTraits::as_a, true, false, RoutineTraits::trans_flips,
     "layout uplo trans n k alpha A lda B ldb beta C ldc"},
    {Routine::trmm, "trmm", RoutineTraits::triangular, RoutineTraits::is_c, false, false, RoutineTraits::side_flips,
     "layout side uplo transa diag m n alpha A lda B ldb",
     "layout side uplo transa diag m n alpha A lda stride_a B ldb stride_b batch_count"},
    {Routine::trsm, "trsm", RoutineTraits::triangular, RoutineTraits::is_c, false, false, RoutineTraits::side_flips,
     "layout side uplo transa diag m n alpha A lda B ldb",
     "layout side uplo transa diag m n alpha A lda stride_a B ldb stride_b batch_count"},
    {Routine::gemmtr, "gemmtr", RoutineTraits::general, RoutineTraits::free, true, false, RoutineTraits::operands_swap,
     "layout uplo transa transb n k alpha A lda B ldb beta C ldc"},
};

// Counts from 1; 0: not in the list.
constexpr int position_of(const char *arguments, const char *name) {
  for (int position = 1; *arguments != '\0'; ++position) {
    const char *n = name;
    while (*n != '\0' && *arguments == *n) ++arguments, ++n;
    if (*n == '\0' && (*arguments == '\0' || *arguments == ' ')) return position;
    while (*arguments != '\0' && *arguments != ' ') ++arguments;
    if (*arguments == ' ') ++arguments;
  }
  return 0;
}

constexpr const RoutineTraits &traits_of(Routine routine) { return kRoutines[static_cast<int>(routine)]; }

struct GemmDesc {
  Routine routine;
  Type type;  // type of A and B; C is FP32
  libsgemm_math_mode_t math_mode;
  libsgemm_op_t transa, transb;  // NO_TRANS or TRANS; syrk, syr2k: transa holds for both operands
  libsgemm_side_t side;
  libsgemm_uplo_t uplo;
  libsgemm_diag_t diag;
  libsgemm_deterministic_t deterministic;

  int64_t m, n, k;
  float alpha, beta;
  int64_t lda, ldb, ldc;  // elements
  const void *a, *b;
  float *c;

  // none: batch_count is 1. strided: product i is at a + i * stride_a elements. pointers: at a_array[i].
  Batch batch;
  int64_t batch_count;
  int64_t stride_a, stride_b, stride_c;
  const void *const *a_array, *const *b_array;
  float *const *c_array;

  // For a single FP32 gemm in a mode that splits inputs: results of Backend::plan for op(A) and op(B)^T; NULL: not
  // split. Kernels of other arithmetic than math_mode ignore them.
  const void *plan_a, *plan_b;

  // fp32_fast: the number under which the backend records its share in FP64 (Backend::fp64_share); 0: no record.
  uint64_t ticket;
};

// Column-major, rows x cols elements of `size` bytes. lower, upper: only that triangle, with the diagonal.
struct Stored {
  enum Part { all, upper, lower };
  const char *base;
  int64_t rows, cols, ld;
  size_t size;
  Part part;
};

Stored stored_a(const GemmDesc &desc);
Stored stored_b(const GemmDesc &desc);  // rows 0: no B
Stored stored_c(const GemmDesc &desc);

inline const RoutineTraits &traits_of(const GemmDesc &desc) { return traits_of(desc.routine); }

inline bool invariant(const GemmDesc &desc) { return desc.deterministic == LIBSGEMM_DETERMINISTIC_INVARIANT; }

// True if the promised sums have several chains (finish.h).
bool cuts_sums(const GemmDesc &desc);

inline bool in_place(const GemmDesc &desc) { return traits_of(desc).in_place(); }

inline bool reads_c(const GemmDesc &desc) { return in_place(desc) || desc.beta != 0.0f; }

// Product i. Pointer arrays must be in host memory.
GemmDesc batch_item(const GemmDesc &desc, int64_t i);

double flop_count(const GemmDesc &desc);  // never 0

// "sgemm", "shgemm_batch_strided".
std::string routine_name(const GemmDesc &desc);

std::string to_string(const GemmDesc &desc);

const char *math_mode_name(libsgemm_math_mode_t mode);

}  // namespace libsgemm
