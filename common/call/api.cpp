// Entry points of libsgemm.h. One macro defines the forms with and without a handle.
#include "call.h"

using libsgemm::Batch;
using libsgemm::Call;
using libsgemm::GroupCall;
using libsgemm::Interface;
using libsgemm::Routine;
using libsgemm::submit;
using libsgemm::submit_h;
using libsgemm::Type;

#define UNWRAP(...) __VA_ARGS__
#define BOTH_FORMS(name, parameters, make)                                        \
  libsgemm_status_t libsgemm_##name(UNWRAP parameters) {                          \
    Call c;                                                                       \
    c.entry = "libsgemm_" #name;                                                  \
    return submit(make);                                                          \
  }                                                                               \
  libsgemm_status_t libsgemm_##name##_h(libsgemm_handle_t h, UNWRAP parameters) { \
    Call c;                                                                       \
    c.entry = "libsgemm_" #name "_h";                                             \
    return submit_h(make, h);                                                     \
  }

namespace {

// References: copies would cost more than the checks.

Call &call(Call &c, Routine routine, libsgemm_layout_t layout) {
  c.routine = routine;
  c.layout = static_cast<int>(layout);
  return c;
}

struct Matrix {
  const void *data;
  int64_t ld, stride;
};

struct Result {
  float *data;
  int64_t ld, stride;
};

Call &with_matrices(Call &c, float alpha, Matrix a, Matrix b, float beta, Result out) {
  c.alpha = alpha;
  c.a = a.data;
  c.lda = a.ld;
  c.stride_a = a.stride;
  c.b = b.data;
  c.ldb = b.ld;
  c.stride_b = b.stride;
  c.beta = beta;
  c.c = out.data;
  c.ldc = out.ld;
  c.stride_c = out.stride;
  return c;
}

Call &gemm(Call &c, Type type, libsgemm_layout_t layout, libsgemm_op_t transa, libsgemm_op_t transb, int64_t m,
           int64_t n, int64_t k) {
  call(c, Routine::gemm, layout);
  c.type = type;
  c.transa = static_cast<int>(transa);
  c.transb = static_cast<int>(transb);
  c.m = m;
  c.n = n;
  c.k = k;
  return c;
}

Call &strided(Call &c, int64_t batch_count) {
  c.batch = Batch::strided;
  c.batch_count = batch_count;
  return c;
}

Call &symm(Call &c, libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo, int64_t m, int64_t n) {
  call(c, Routine::symm, layout);
  c.side = static_cast<int>(side);
  c.uplo = static_cast<int>(uplo);
  c.m = m;
  c.n = n;
  return c;
}

Call &rank_update(Call &c, Routine routine, libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t trans,
                  int64_t n, int64_t k) {
  call(c, routine, layout);
  c.uplo = static_cast<int>(uplo);
  c.transa = static_cast<int>(trans);
  c.n = n;
  c.k = k;
  return c;
}

Call &syrk(Call &c, Type type, libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t trans, int64_t n,
           int64_t k) {
  c.type = type;
  return rank_update(c, Routine::syrk, layout, uplo, trans, n, k);
}

Call &triangular(Call &c, Routine routine, libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo,
                 libsgemm_op_t transa, libsgemm_diag_t diag, int64_t m, int64_t n) {
  symm(c, layout, side, uplo, m, n);
  c.routine = routine;
  c.transa = static_cast<int>(transa);
  c.diag = static_cast<int>(diag);
  return c;
}

Call &gemmtr(Call &c, libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t transa, libsgemm_op_t transb,
             int64_t n, int64_t k) {
  rank_update(c, Routine::gemmtr, layout, uplo, transa, n, k);
  c.transb = static_cast<int>(transb);
  return c;
}

template <typename T>
const void *const *untyped(const T *const *array) {
  return reinterpret_cast<const void *const *>(array);
}

}  // namespace

BOTH_FORMS(sgemm,
           (libsgemm_layout_t layout, libsgemm_op_t transa, libsgemm_op_t transb, int64_t m, int64_t n, int64_t k,
            float alpha, const float *A, int64_t lda, const float *B, int64_t ldb, float beta, float *C, int64_t ldc),
           with_matrices(gemm(c, Type::f32, layout, transa, transb, m, n, k), alpha, {A, lda, 0}, {B, ldb, 0}, beta,
                         {C, ldc, 0}))

libsgemm_status_t libsgemm_sgemm_planned_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_op_t transa,
                                           libsgemm_op_t transb, int64_t m, int64_t n, int64_t k, float alpha,
                                           const float *A, int64_t lda, libsgemm_plan_t plan_a, const float *B,
                                           int64_t ldb, libsgemm_plan_t plan_b, float beta, float *C, int64_t ldc) {
  Call c;
  c.entry = "libsgemm_sgemm_planned_h";
  c.planned = true;
  c.plan_a = plan_a;
  c.plan_b = plan_b;
  return submit_h(with_matrices(gemm(c, Type::f32, layout, transa, transb, m, n, k), alpha, {A, lda, 0}, {B, ldb, 0},
                                beta, {C, ldc, 0}),
                  h);
}

BOTH_FORMS(ssymm,
           (libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo, int64_t m, int64_t n, float alpha,
            const float *A, int64_t lda, const float *B, int64_t ldb, float beta, float *C, int64_t ldc),
           with_matrices(symm(c, layout, side, uplo, m, n), alpha, {A, lda, 0}, {B, ldb, 0}, beta, {C, ldc, 0}))

BOTH_FORMS(ssyr2k,
           (libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t trans, int64_t n, int64_t k, float alpha,
            const float *A, int64_t lda, const float *B, int64_t ldb, float beta, float *C, int64_t ldc),
           with_matrices(rank_update(c, Routine::syr2k, layout, uplo, trans, n, k), alpha, {A, lda, 0}, {B, ldb, 0},
                         beta, {C, ldc, 0}))

BOTH_FORMS(strmm,
           (libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo, libsgemm_op_t transa,
            libsgemm_diag_t diag, int64_t m, int64_t n, float alpha, const float *A, int64_t lda, float *B,
            int64_t ldb),
           with_matrices(triangular(c, Routine::trmm, layout, side, uplo, transa, diag, m, n), alpha, {A, lda, 0}, {},
                         0, {B, ldb, 0}))

BOTH_FORMS(strsm,
           (libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo, libsgemm_op_t transa,
            libsgemm_diag_t diag, int64_t m, int64_t n, float alpha, const float *A, int64_t lda, float *B,
            int64_t ldb),
           with_matrices(triangular(c, Routine::trsm, layout, side, uplo, transa, diag, m, n), alpha, {A, lda, 0}, {},
                         0, {B, ldb, 0}))

BOTH_FORMS(sgemmtr,
           (libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t transa, libsgemm_op_t transb, int64_t n,
            int64_t k, float alpha, const float *A, int64_t lda, const float *B, int64_t ldb, float beta, float *C,
            int64_t ldc),
           with_matrices(gemmtr(c, layout, uplo, transa, transb, n, k), alpha, {A, lda, 0}, {B, ldb, 0}, beta,
                         {C, ldc, 0}))

BOTH_FORMS(strmm_batch_strided,
           (libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo, libsgemm_op_t transa,
            libsgemm_diag_t diag, int64_t m, int64_t n, float alpha, const float *A, int64_t lda, int64_t stride_a,
            float *B, int64_t ldb, int64_t stride_b, int64_t batch_count),
           strided(with_matrices(triangular(c, Routine::trmm, layout, side, uplo, transa, diag, m, n), alpha,
                                 {A, lda, stride_a}, {}, 0, {B, ldb, stride_b}),
                   batch_count))

BOTH_FORMS(strsm_batch_strided,
           (libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo, libsgemm_op_t transa,
            libsgemm_diag_t diag, int64_t m, int64_t n, float alpha, const float *A, int64_t lda, int64_t stride_a,
            float *B, int64_t ldb, int64_t stride_b, int64_t batch_count),
           strided(with_matrices(triangular(c, Routine::trsm, layout, side, uplo, transa, diag, m, n), alpha,
                                 {A, lda, stride_a}, {}, 0, {B, ldb, stride_b}),
                   batch_count))

#define GEMM_OF_TYPE(name, type, T)                                                                                  \
  BOTH_FORMS(name,                                                                                                   \
             (libsgemm_layout_t layout, libsgemm_op_t transa, libsgemm_op_t transb, int64_t m, int64_t n, int64_t k, \
              float alpha, const T *A, int64_t lda, const T *B, int64_t ldb, float beta, float *C, int64_t ldc),     \
             with_matrices(gemm(c, type, layout, transa, transb, m, n, k), alpha, {A, lda, 0}, {B, ldb, 0}, beta,    \
                           {C, ldc, 0}))

#define SYRK_OF_TYPE(name, type, T)                                                                                   \
  BOTH_FORMS(name,                                                                                                    \
             (libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t trans, int64_t n, int64_t k, float alpha, \
              const T *A, int64_t lda, float beta, float *C, int64_t ldc),                                            \
             with_matrices(syrk(c, type, layout, uplo, trans, n, k), alpha, {A, lda, 0}, {}, beta, {C, ldc, 0}))      \
  BOTH_FORMS(name##_batch_strided,                                                                                    \
             (libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t trans, int64_t n, int64_t k, float alpha, \
              const T *A, int64_t lda, int64_t stride_a, float beta, float *C, int64_t ldc, int64_t stride_c,         \
              int64_t batch_count),                                                                                   \
             strided(with_matrices(syrk(c, type, layout, uplo, trans, n, k), alpha, {A, lda, stride_a}, {}, beta,     \
                                   {C, ldc, stride_c}),                                                               \
                     batch_count))

#define BATCHES_OF_TYPE(name, type, T)                                                                               \
  BOTH_FORMS(name##_batch_strided,                                                                                   \
             (libsgemm_layout_t layout, libsgemm_op_t transa, libsgemm_op_t transb, int64_t m, int64_t n, int64_t k, \
              float alpha, const T *A, int64_t lda, int64_t stride_a, const T *B, int64_t ldb, int64_t stride_b,     \
              float beta, float *C, int64_t ldc, int64_t stride_c, int64_t batch_count),                             \
             strided(with_matrices(gemm(c, type, layout, transa, transb, m, n, k), alpha, {A, lda, stride_a},        \
                                   {B, ldb, stride_b}, beta, {C, ldc, stride_c}),                                    \
                     batch_count))                                                                                   \
  BOTH_FORMS(name##_batch,                                                                                           \
             (libsgemm_layout_t layout, const libsgemm_op_t *transa, const libsgemm_op_t *transb, const int64_t *m,  \
              const int64_t *n, const int64_t *k, const float *alpha, const T *const *A, const int64_t *lda,         \
              const T *const *B, const int64_t *ldb, const float *beta, float *const *C, const int64_t *ldc,         \
              int64_t group_count, const int64_t *group_size),                                                       \
             (GroupCall{{c.entry},                                                                                   \
                        type,                                                                                        \
                        Interface::native,                                                                           \
                        static_cast<int>(layout),                                                                    \
                        transa,                                                                                      \
                        transb,                                                                                      \
                        m,                                                                                           \
                        n,                                                                                           \
                        k,                                                                                           \
                        alpha,                                                                                       \
                        untyped(A),                                                                                  \
                        lda,                                                                                         \
                        untyped(B),                                                                                  \
                        ldb,                                                                                         \
                        beta,                                                                                        \
                        C,                                                                                           \
                        ldc,                                                                                         \
                        group_count,                                                                                 \
                        group_size}))

GEMM_OF_TYPE(shgemm, Type::f16, libsgemm_half_t)
GEMM_OF_TYPE(sbgemm, Type::bf16, libsgemm_bfloat16_t)
SYRK_OF_TYPE(ssyrk, Type::f32, float)
SYRK_OF_TYPE(shsyrk, Type::f16, libsgemm_half_t)
SYRK_OF_TYPE(sbsyrk, Type::bf16, libsgemm_bfloat16_t)
BATCHES_OF_TYPE(sgemm, Type::f32, float)
BATCHES_OF_TYPE(shgemm, Type::f16, libsgemm_half_t)
BATCHES_OF_TYPE(sbgemm, Type::bf16, libsgemm_bfloat16_t)
