// CBLAS names, and batches of OpenBLAS and MKL.
#include <new>
#include <vector>

#include "blas/program.h"
#include "blas/report.h"
#include "blas/spellings.h"

namespace libsgemm {
namespace {

Call cblas_call(const Own &own, const char *entry, Routine routine, Type type, int layout) {
  Call call;
  call.entry = entry;
  call.blas = own.blas;
  call.routine = routine;
  call.type = type;
  call.interface = Interface::cblas;
  call.layout = layout;
  return call;
}

void operands(Call *call, float alpha, const void *a, int64_t lda, const void *b, int64_t ldb, float beta, float *c,
              int64_t ldc) {
  call->alpha = alpha;
  call->a = a;
  call->lda = lda;
  call->b = b;
  call->ldb = ldb;
  call->beta = beta;
  call->c = c;
  call->ldc = ldc;
}

Call gemm_call(const Own &own, const char *entry, Type type, int layout, int transa, int transb, int64_t m, int64_t n,
               int64_t k) {
  Call call = cblas_call(own, entry, Routine::gemm, type, layout);
  call.transa = transa;
  call.transb = transb;
  call.m = m;
  call.n = n;
  call.k = k;
  return call;
}

template <typename... Arguments>
void call_own(const Own &own, void (*)(Arguments...), Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(own.definition)(arguments...);
}

template <typename INT>
const int64_t *widen(const INT *array, int64_t count, std::vector<int64_t> *wide) {
  if (array == nullptr || count <= 0) return nullptr;
  wide->assign(array, array + count);
  return wide->data();
}

template <typename INT, typename CallOwn>
void batch(const Own &own, const char *entry, const char *handler, const CallOwn &call_own, int layout,
           const int *transa, const int *transb, const INT *m, const INT *n, const INT *k, const float *alpha,
           const float *const *a, const INT *lda, const float *const *b, const INT *ldb, const float *beta,
           float *const *c, const INT *ldc, INT group_count, const INT *group_size) {
  static_assert(sizeof(libsgemm_op_t) == sizeof(int), "CBLAS passes arrays of its own enumeration");
  std::vector<int64_t> wide[7];
  GroupCall call = {};
  call.entry = entry;
  call.blas = own.blas;
  call.interface = Interface::cblas;
  call.layout = layout;
  call.transa = reinterpret_cast<const libsgemm_op_t *>(transa);
  call.transb = reinterpret_cast<const libsgemm_op_t *>(transb);
  call.alpha = alpha;
  call.a = reinterpret_cast<const void *const *>(a);
  call.b = reinterpret_cast<const void *const *>(b);
  call.beta = beta;
  call.c = c;
  call.group_count = group_count;
  try {
    call.m = widen(m, group_count, &wide[0]);
    call.n = widen(n, group_count, &wide[1]);
    call.k = widen(k, group_count, &wide[2]);
    call.lda = widen(lda, group_count, &wide[3]);
    call.ldb = widen(ldb, group_count, &wide[4]);
    call.ldc = widen(ldc, group_count, &wide[5]);
    call.group_size = widen(group_size, group_count, &wide[6]);
  } catch (const std::bad_alloc &) {
    call.m = nullptr;  // makes an argument illegal: a BLAS has no other way to report that it did nothing
  }
  perform<INT>(&call, own, entry, handler, call_own);
}

}  // namespace
}  // namespace libsgemm

using namespace libsgemm;

#define GEMM(INT, name, handler) DEFINE_GEMM(INT, name, handler, Type::f32, float)
#define SHGEMM(INT, name, handler) DEFINE_GEMM(INT, name, handler, Type::f16, libsgemm_half_t)
#define SBGEMM(INT, name, handler) DEFINE_GEMM(INT, name, handler, Type::bf16, libsgemm_bfloat16_t)
#define DEFINE_GEMM(INT, name, handler, type, T)                                                                    \
  LIBSGEMM_API void name(int layout, int transa, int transb, INT m, INT n, INT k, float alpha, const T *a, INT lda, \
                         const T *b, INT ldb, float beta, float *c, INT ldc) {                                      \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                       \
    Call call = gemm_call(own, #name, type, layout, transa, transb, m, n, k);                                       \
    operands(&call, alpha, a, lda, b, ldb, beta, c, ldc);                                                           \
    perform<INT>(&call, own, #name, handler, [&] {                                                                  \
      call_own(own, &(name), layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                 \
    });                                                                                                             \
  }

#define GEMM_STRIDED(INT, name, handler)                                                                               \
  LIBSGEMM_API void name(int layout, int transa, int transb, INT m, INT n, INT k, float alpha, const float *a,         \
                         INT lda, INT stride_a, const float *b, INT ldb, INT stride_b, float beta, float *c, INT ldc,  \
                         INT stride_c, INT batch_count) {                                                              \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                          \
    Call call = gemm_call(own, #name, Type::f32, layout, transa, transb, m, n, k);                                     \
    operands(&call, alpha, a, lda, b, ldb, beta, c, ldc);                                                              \
    call.batch = Batch::strided;                                                                                       \
    call.stride_a = stride_a;                                                                                          \
    call.stride_b = stride_b;                                                                                          \
    call.stride_c = stride_c;                                                                                          \
    call.batch_count = batch_count;                                                                                    \
    perform<INT>(&call, own, #name, handler, [&] {                                                                     \
      call_own(own, &(name), layout, transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, \
               stride_c, batch_count);                                                                                 \
    });                                                                                                                \
  }

#define GEMM_BATCH(INT, name, handler)                                                                               \
  LIBSGEMM_API void name(int layout, const int *transa, const int *transb, const INT *m, const INT *n, const INT *k, \
                         const float *alpha, const float *const *a, const INT *lda, const float *const *b,           \
                         const INT *ldb, const float *beta, float *const *c, const INT *ldc, INT group_count,        \
                         const INT *group_size) {                                                                    \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                        \
    batch<INT>(                                                                                                      \
        own, #name, handler,                                                                                         \
        [&] {                                                                                                        \
          call_own(own, &(name), layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, group_count,  \
                   group_size);                                                                                      \
        },                                                                                                           \
        layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, group_count, group_size);              \
  }

#define SYMM(INT, name, handler)                                                                                  \
  LIBSGEMM_API void name(int layout, int side, int uplo, INT m, INT n, float alpha, const float *a, INT lda,      \
                         const float *b, INT ldb, float beta, float *c, INT ldc) {                                \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                     \
    Call call = cblas_call(own, #name, Routine::symm, Type::f32, layout);                                         \
    call.side = side;                                                                                             \
    call.uplo = uplo;                                                                                             \
    call.m = m;                                                                                                   \
    call.n = n;                                                                                                   \
    operands(&call, alpha, a, lda, b, ldb, beta, c, ldc);                                                         \
    perform<INT>(&call, own, #name, handler,                                                                      \
                 [&] { call_own(own, &(name), layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc); }); \
  }

#define SYRK(INT, name, handler)                                                                              \
  LIBSGEMM_API void name(int layout, int uplo, int trans, INT n, INT k, float alpha, const float *a, INT lda, \
                         float beta, float *c, INT ldc) {                                                     \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                 \
    Call call = cblas_call(own, #name, Routine::syrk, Type::f32, layout);                                     \
    call.uplo = uplo;                                                                                         \
    call.transa = trans;                                                                                      \
    call.n = n;                                                                                               \
    call.k = k;                                                                                               \
    operands(&call, alpha, a, lda, nullptr, 0, beta, c, ldc);                                                 \
    perform<INT>(&call, own, #name, handler,                                                                  \
                 [&] { call_own(own, &(name), layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc); });    \
  }

#define SYR2K(INT, name, handler)                                                                                  \
  LIBSGEMM_API void name(int layout, int uplo, int trans, INT n, INT k, float alpha, const float *a, INT lda,      \
                         const float *b, INT ldb, float beta, float *c, INT ldc) {                                 \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                      \
    Call call = cblas_call(own, #name, Routine::syr2k, Type::f32, layout);                                         \
    call.uplo = uplo;                                                                                              \
    call.transa = trans;                                                                                           \
    call.n = n;                                                                                                    \
    call.k = k;                                                                                                    \
    operands(&call, alpha, a, lda, b, ldb, beta, c, ldc);                                                          \
    perform<INT>(&call, own, #name, handler,                                                                       \
                 [&] { call_own(own, &(name), layout, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc); }); \
  }

#define TRMM(INT, name, handler) DEFINE_TRIANGULAR(INT, name, handler, Routine::trmm)
#define TRSM(INT, name, handler) DEFINE_TRIANGULAR(INT, name, handler, Routine::trsm)
#define DEFINE_TRIANGULAR(INT, name, handler, routine)                                                            \
  LIBSGEMM_API void name(int layout, int side, int uplo, int transa, int diag, INT m, INT n, float alpha,         \
                         const float *a, INT lda, float *b, INT ldb) {                                            \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                     \
    Call call = cblas_call(own, #name, routine, Type::f32, layout);                                               \
    call.side = side;                                                                                             \
    call.uplo = uplo;                                                                                             \
    call.transa = transa;                                                                                         \
    call.diag = diag;                                                                                             \
    call.m = m;                                                                                                   \
    call.n = n;                                                                                                   \
    operands(&call, alpha, a, lda, nullptr, 0, 0, b, ldb);                                                        \
    perform<INT>(&call, own, #name, handler,                                                                      \
                 [&] { call_own(own, &(name), layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb); }); \
  }

#define GEMMTR(INT, name, handler)                                                                                \
  LIBSGEMM_API void name(int layout, int uplo, int transa, int transb, INT n, INT k, float alpha, const float *a, \
                         INT lda, const float *b, INT ldb, float beta, float *c, INT ldc) {                       \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                     \
    Call call = cblas_call(own, #name, Routine::gemmtr, Type::f32, layout);                                       \
    call.uplo = uplo;                                                                                             \
    call.transa = transa;                                                                                         \
    call.transb = transb;                                                                                         \
    call.n = n;                                                                                                   \
    call.k = k;                                                                                                   \
    operands(&call, alpha, a, lda, b, ldb, beta, c, ldc);                                                         \
    perform<INT>(&call, own, #name, handler, [&] {                                                                \
      call_own(own, &(name), layout, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc);            \
    });                                                                                                           \
  }

extern "C" {
CBLAS_SPELLINGS(GEMM, sgemm)
CBLAS_SPELLINGS(GEMM_BATCH, sgemm_batch)
CBLAS_SPELLINGS(GEMM_STRIDED, sgemm_batch_strided)
CBLAS_SPELLINGS(SHGEMM, shgemm)
CBLAS_SPELLINGS(SBGEMM, sbgemm)
CBLAS_SPELLINGS(SYMM, ssymm)
CBLAS_SPELLINGS(SYRK, ssyrk)
CBLAS_SPELLINGS(SYR2K, ssyr2k)
CBLAS_SPELLINGS(TRMM, strmm)
CBLAS_SPELLINGS(TRSM, strsm)
CBLAS_SPELLINGS(GEMMTR, sgemmtr)
CBLAS_SPELLINGS(GEMMTR, sgemmt)
}
