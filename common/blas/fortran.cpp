// BLAS by its Fortran interface. Hidden string lengths follow the last argument and are not read.
#include "blas/program.h"
#include "blas/report.h"
#include "blas/spellings.h"

namespace libsgemm {
namespace {

// Returns 0, no enumerator, for any other letter: the checks report it.
int letter(const char *text, char first, int first_value, char second, int second_value) {
  const char upper = static_cast<char>(*text & ~0x20);
  return upper == first ? first_value : upper == second ? second_value : 0;
}

int op(const char *text) {
  const int value = letter(text, 'N', LIBSGEMM_NO_TRANS, 'T', LIBSGEMM_TRANS);
  return value != 0 ? value : letter(text, 'C', LIBSGEMM_CONJ_TRANS, 'R', kConjNoTrans);
}

int side(const char *text) { return letter(text, 'L', LIBSGEMM_LEFT, 'R', LIBSGEMM_RIGHT); }
int uplo(const char *text) { return letter(text, 'U', LIBSGEMM_UPPER, 'L', LIBSGEMM_LOWER); }
int diag(const char *text) { return letter(text, 'U', LIBSGEMM_UNIT, 'N', LIBSGEMM_NON_UNIT); }

Call fortran_call(const Own &own, const char *entry, Routine routine, Type type) {
  Call call;
  call.entry = entry;
  call.blas = own.blas;
  call.routine = routine;
  call.type = type;
  call.interface = Interface::fortran;
  call.layout = LIBSGEMM_COL_MAJOR;
  return call;
}

template <typename INT>
void operands(Call *call, const float *alpha, const void *a, const INT *lda, const void *b, const INT *ldb,
              const float *beta, float *c, const INT *ldc) {
  call->alpha = *alpha;
  call->a = a;
  call->lda = *lda;
  call->b = b;
  if (ldb != nullptr) call->ldb = *ldb;
  if (beta != nullptr) call->beta = *beta;
  call->c = c;
  call->ldc = *ldc;
}

// The program's function may read the hidden lengths of its options, at most four.
template <typename... Arguments>
void call_own(const Own &own, void (*)(Arguments...), Arguments... arguments) {
  using Function = void (*)(Arguments..., size_t, size_t, size_t, size_t);
  reinterpret_cast<Function>(own.definition)(arguments..., 1, 1, 1, 1);
}

}  // namespace
}  // namespace libsgemm

using namespace libsgemm;

#define GEMM(INT, name, handler) DEFINE_GEMM(INT, name, handler, Type::f32, float, "SGEMM ")
#define SHGEMM(INT, name, handler) DEFINE_GEMM(INT, name, handler, Type::f16, libsgemm_half_t, "SHGEMM")
#define SBGEMM(INT, name, handler) DEFINE_GEMM(INT, name, handler, Type::bf16, libsgemm_bfloat16_t, "SBGEMM")
#define DEFINE_GEMM(INT, name, handler, type, T, title)                                                          \
  LIBSGEMM_API void name(const char *transa, const char *transb, const INT *m, const INT *n, const INT *k,       \
                         const float *alpha, const T *a, const INT *lda, const T *b, const INT *ldb,             \
                         const float *beta, float *c, const INT *ldc) {                                          \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                    \
    Call call = fortran_call(own, #name, Routine::gemm, type);                                                   \
    call.transa = op(transa);                                                                                    \
    call.transb = op(transb);                                                                                    \
    call.m = *m;                                                                                                 \
    call.n = *n;                                                                                                 \
    call.k = *k;                                                                                                 \
    operands(&call, alpha, a, lda, b, ldb, beta, c, ldc);                                                        \
    perform<INT>(&call, own, title, handler,                                                                     \
                 [&] { call_own(own, &(name), transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); }); \
  }

#define SYMM(INT, name, handler)                                                                                      \
  LIBSGEMM_API void name(const char *the_side, const char *the_uplo, const INT *m, const INT *n, const float *alpha,  \
                         const float *a, const INT *lda, const float *b, const INT *ldb, const float *beta, float *c, \
                         const INT *ldc) {                                                                            \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                         \
    Call call = fortran_call(own, #name, Routine::symm, Type::f32);                                                   \
    call.side = side(the_side);                                                                                       \
    call.uplo = uplo(the_uplo);                                                                                       \
    call.m = *m;                                                                                                      \
    call.n = *n;                                                                                                      \
    operands(&call, alpha, a, lda, b, ldb, beta, c, ldc);                                                             \
    perform<INT>(&call, own, "SSYMM ", handler,                                                                       \
                 [&] { call_own(own, &(name), the_side, the_uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc); });     \
  }

#define SYRK(INT, name, handler)                                                                                  \
  LIBSGEMM_API void name(const char *the_uplo, const char *trans, const INT *n, const INT *k, const float *alpha, \
                         const float *a, const INT *lda, const float *beta, float *c, const INT *ldc) {           \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                     \
    Call call = fortran_call(own, #name, Routine::syrk, Type::f32);                                               \
    call.uplo = uplo(the_uplo);                                                                                   \
    call.transa = op(trans);                                                                                      \
    call.n = *n;                                                                                                  \
    call.k = *k;                                                                                                  \
    operands<INT>(&call, alpha, a, lda, nullptr, nullptr, beta, c, ldc);                                          \
    perform<INT>(&call, own, "SSYRK ", handler,                                                                   \
                 [&] { call_own(own, &(name), the_uplo, trans, n, k, alpha, a, lda, beta, c, ldc); });            \
  }

#define SYR2K(INT, name, handler)                                                                                     \
  LIBSGEMM_API void name(const char *the_uplo, const char *trans, const INT *n, const INT *k, const float *alpha,     \
                         const float *a, const INT *lda, const float *b, const INT *ldb, const float *beta, float *c, \
                         const INT *ldc) {                                                                            \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                         \
    Call call = fortran_call(own, #name, Routine::syr2k, Type::f32);                                                  \
    call.uplo = uplo(the_uplo);                                                                                       \
    call.transa = op(trans);                                                                                          \
    call.n = *n;                                                                                                      \
    call.k = *k;                                                                                                      \
    operands(&call, alpha, a, lda, b, ldb, beta, c, ldc);                                                             \
    perform<INT>(&call, own, "SSYR2K", handler,                                                                       \
                 [&] { call_own(own, &(name), the_uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc); });        \
  }

#define TRMM(INT, name, handler) DEFINE_TRIANGULAR(INT, name, handler, Routine::trmm, "STRMM ")
#define TRSM(INT, name, handler) DEFINE_TRIANGULAR(INT, name, handler, Routine::trsm, "STRSM ")
#define DEFINE_TRIANGULAR(INT, name, handler, routine, title)                                                         \
  LIBSGEMM_API void name(const char *the_side, const char *the_uplo, const char *transa, const char *the_diag,        \
                         const INT *m, const INT *n, const float *alpha, const float *a, const INT *lda, float *b,    \
                         const INT *ldb) {                                                                            \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                         \
    Call call = fortran_call(own, #name, routine, Type::f32);                                                         \
    call.side = side(the_side);                                                                                       \
    call.uplo = uplo(the_uplo);                                                                                       \
    call.transa = op(transa);                                                                                         \
    call.diag = diag(the_diag);                                                                                       \
    call.m = *m;                                                                                                      \
    call.n = *n;                                                                                                      \
    operands<INT>(&call, alpha, a, lda, nullptr, nullptr, nullptr, b, ldb);                                           \
    perform<INT>(&call, own, title, handler,                                                                          \
                 [&] { call_own(own, &(name), the_side, the_uplo, transa, the_diag, m, n, alpha, a, lda, b, ldb); }); \
  }

#define GEMMTR(INT, name, handler)                                                                                 \
  LIBSGEMM_API void name(const char *the_uplo, const char *transa, const char *transb, const INT *n, const INT *k, \
                         const float *alpha, const float *a, const INT *lda, const float *b, const INT *ldb,       \
                         const float *beta, float *c, const INT *ldc) {                                            \
    const Own &own = LIBSGEMM_OWN(INT, name);                                                                      \
    Call call = fortran_call(own, #name, Routine::gemmtr, Type::f32);                                              \
    call.uplo = uplo(the_uplo);                                                                                    \
    call.transa = op(transa);                                                                                      \
    call.transb = op(transb);                                                                                      \
    call.n = *n;                                                                                                   \
    call.k = *k;                                                                                                   \
    operands(&call, alpha, a, lda, b, ldb, beta, c, ldc);                                                          \
    perform<INT>(&call, own, "SGEMMTR", handler, [&] {                                                             \
      call_own(own, &(name), the_uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                 \
    });                                                                                                            \
  }

extern "C" {
FORTRAN_SPELLINGS(GEMM, sgemm)
FORTRAN_SPELLINGS(SHGEMM, shgemm)
FORTRAN_SPELLINGS(SBGEMM, sbgemm)
FORTRAN_SPELLINGS(SYMM, ssymm)
FORTRAN_SPELLINGS(SYRK, ssyrk)
FORTRAN_SPELLINGS(SYR2K, ssyr2k)
FORTRAN_SPELLINGS(TRMM, strmm)
FORTRAN_SPELLINGS(TRSM, strsm)
FORTRAN_SPELLINGS(GEMMTR, sgemmtr)
FORTRAN_SPELLINGS(GEMMTR, sgemmt)
}
