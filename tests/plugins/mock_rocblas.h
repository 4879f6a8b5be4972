// rocBLAS on the mock GPU, for mock_hip.cpp: functions of rocblas_entries.h record the call and enqueue its work.
#include "rocblas_entries.h"

namespace {

using libsgemm::Batch;
using libsgemm::Routine;
using libsgemm::Type;

constexpr int kInvalidHandle = 1, kNotImplemented = 2, kInvalidPointer = 3, kInvalidSize = 4, kSizeIncreased = 9;

thread_local std::string t_latest;
bool g_only_record = false;
int g_copies = 0;  // calls of rocblas_sgeam

bool turned(int op) { return op != LIBSGEMM_NO_TRANS; }

// The handle's pointer mode tells whether `from` is host or device memory.
float scalar(const BlasHandle *handle, const void *from) {
  float value;
  if (handle->pointer_mode == 0) return memcpy(&value, from, sizeof value), value;
  return plugin().control->read(from, &value, sizeof value), value;
}

GemmDesc strided(GemmDesc desc, int64_t a, int64_t b, int64_t c, int64_t count) {
  desc.batch = Batch::strided;
  desc.stride_a = a, desc.stride_b = b, desc.stride_c = c;
  desc.batch_count = count;
  return desc;
}

GemmDesc pointers(GemmDesc desc, const void *a, const void *b, float *const *c, int64_t count) {
  desc.batch = Batch::pointers;
  desc.a_array = static_cast<const void *const *>(a);
  desc.b_array = static_cast<const void *const *>(b);
  desc.c_array = c;
  desc.batch_count = count;
  return desc;
}

int run(const BlasHandle *handle, const GemmDesc &desc) {
  const bool short_b = libsgemm::traits_of(desc).has_b() && desc.ldb < libsgemm::stored_b(desc).rows;
  if (desc.m < 0 || desc.n < 0 || desc.lda < libsgemm::stored_a(desc).rows || short_b || desc.ldc < desc.m) {
    return kInvalidSize;
  }
  if (handle->queries) return kSizeIncreased;
  if (desc.m == 0 || desc.n == 0 || desc.batch_count == 0) return kSuccess;
  return launch(handle->stream, desc);
}

void copy(const BlasHandle *handle, int64_t m, int64_t n, const float *from, int64_t from_ld, float *to,
          int64_t to_ld) {
  for (int64_t j = 0; j < n; ++j) {
    plugin().control->enqueue_copy(handle->stream, to + j * to_ld, from + j * from_ld,
                                   static_cast<size_t>(m) * sizeof *to);
  }
}

GemmDesc describe_gemm(const BlasHandle *handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                       const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                       float *c, int64_t ldc) {
  return product(turned(transa), turned(transb), m, n, k, scalar(handle, alpha), a, lda, b, ldb, scalar(handle, beta),
                 c, ldc);
}

template <typename INT>
int gemm(GEMM_PARAMETERS(INT)) {
  const auto *const h = static_cast<BlasHandle *>(handle);
  return run(h, describe_gemm(h, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc));
}
template <typename INT>
int gemm(GEMM_STRIDED_PARAMETERS(INT)) {
  const auto *const h = static_cast<BlasHandle *>(handle);
  return run(h, strided(describe_gemm(h, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), stride_a,
                        stride_b, stride_c, count));
}
template <typename INT>
int gemm(GEMM_BATCHED_PARAMETERS(INT)) {
  const auto *const h = static_cast<BlasHandle *>(handle);
  return run(
      h, pointers(describe_gemm(h, transa, transb, m, n, k, alpha, nullptr, lda, nullptr, ldb, beta, nullptr, ldc), a,
                  b, c, count));
}

// FP32, or 16-bit inputs with FP32 output; any algorithm, no flags.
bool set_types(GemmDesc *desc, int a, int b, int c, int d, int compute, int algorithm, int solution, uint32_t flags) {
  if ((algorithm != 0 && algorithm != 1) || solution < 0 || flags != 0) return false;
  desc->type = a == 150 ? Type::f16 : a == 168 ? Type::bf16 : Type::f32;
  return a == b && (a == 150 || a == 151 || a == 168) && c == 151 && d == 151 && compute == 151;
}

template <typename INT>
int gemm_ex(GEMM_EX_PARAMETERS(INT)) {
  const auto *const h = static_cast<BlasHandle *>(handle);
  GemmDesc desc = describe_gemm(h, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, static_cast<float *>(d), ldd);
  if (!set_types(&desc, a_type, b_type, c_type, d_type, compute, algorithm, solution, flags)) return kNotImplemented;
  if (c == d && ldc != ldd) return kInvalidSize;
  if (c != d && desc.beta != 0) copy(h, m, n, static_cast<const float *>(c), ldc, desc.c, ldd);
  return run(h, desc);
}
template <typename INT>
int gemm_ex(GEMM_STRIDED_EX_PARAMETERS(INT)) {
  const auto *const h = static_cast<BlasHandle *>(handle);
  GemmDesc desc = describe_gemm(h, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, static_cast<float *>(d), ldd);
  if (!set_types(&desc, a_type, b_type, c_type, d_type, compute, algorithm, solution, flags)) return kNotImplemented;
  if (c == d && (ldc != ldd || stride_c != stride_d)) return kInvalidSize;
  for (INT i = 0; c != d && desc.beta != 0 && i < count; ++i) {
    copy(h, m, n, static_cast<const float *>(c) + i * stride_c, ldc, desc.c + i * stride_d, ldd);
  }
  return run(h, strided(desc, stride_a, stride_b, stride_d, count));
}
// D must be C.
template <typename INT>
int gemm_ex(GEMM_BATCHED_EX_PARAMETERS(INT)) {
  const auto *const h = static_cast<BlasHandle *>(handle);
  GemmDesc desc = describe_gemm(h, transa, transb, m, n, k, alpha, nullptr, lda, nullptr, ldb, beta, nullptr, ldd);
  if (!set_types(&desc, a_type, b_type, c_type, d_type, compute, algorithm, solution, flags) || c != d)
    return kNotImplemented;
  if (ldc != ldd) return kInvalidSize;
  return run(h, pointers(desc, a, b, static_cast<float *const *>(d), count));
}

template <typename INT>
GemmDesc describe_symm(SYMM_PARAMETERS(INT)) {
  GemmDesc desc = describe_gemm(static_cast<BlasHandle *>(handle), LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, m, n,
                                side == LIBSGEMM_LEFT ? m : n, alpha, a, lda, b, ldb, beta, c, ldc);
  desc.routine = Routine::symm;
  desc.side = static_cast<libsgemm_side_t>(side);
  desc.uplo = static_cast<libsgemm_uplo_t>(uplo);
  return desc;
}
template <typename INT>
int symm(SYMM_PARAMETERS(INT)) {
  return run(static_cast<BlasHandle *>(handle), describe_symm<INT>(SYMM_NAMES));
}
template <typename INT>
int symm(SYMM_STRIDED_PARAMETERS(INT)) {
  return run(static_cast<BlasHandle *>(handle),
             strided(describe_symm<INT>(SYMM_NAMES), stride_a, stride_b, stride_c, count));
}
template <typename INT>
int symm(SYMM_BATCHED_PARAMETERS(INT)) {
  return run(static_cast<BlasHandle *>(handle), pointers(describe_symm<INT>(handle, side, uplo, m, n, alpha, nullptr,
                                                                            lda, nullptr, ldb, beta, nullptr, ldc),
                                                         a, b, c, count));
}

GemmDesc triangle(const void *handle, Routine routine, int uplo, int transa, int transb, int64_t n, int64_t k,
                  const float *alpha, const float *a, int64_t lda, const float *b, int64_t ldb, const float *beta,
                  float *c, int64_t ldc) {
  GemmDesc desc = describe_gemm(static_cast<const BlasHandle *>(handle), transa, transb, n, n, k, alpha, a, lda, b, ldb,
                                beta, c, ldc);
  desc.routine = routine;
  desc.uplo = static_cast<libsgemm_uplo_t>(uplo);
  return desc;
}
template <typename INT>
int syrk(SYRK_PARAMETERS(INT)) {
  return run(static_cast<BlasHandle *>(handle), triangle(handle, Routine::syrk, uplo, trans, LIBSGEMM_NO_TRANS, n, k,
                                                         alpha, a, lda, nullptr, 0, beta, c, ldc));
}
template <typename INT>
int syrk(SYRK_STRIDED_PARAMETERS(INT)) {
  return run(static_cast<BlasHandle *>(handle), strided(triangle(handle, Routine::syrk, uplo, trans, LIBSGEMM_NO_TRANS,
                                                                 n, k, alpha, a, lda, nullptr, 0, beta, c, ldc),
                                                        stride_a, 0, stride_c, count));
}
template <typename INT>
int syrk(SYRK_BATCHED_PARAMETERS(INT)) {
  return run(static_cast<BlasHandle *>(handle),
             pointers(triangle(handle, Routine::syrk, uplo, trans, LIBSGEMM_NO_TRANS, n, k, alpha, nullptr, lda,
                               nullptr, 0, beta, nullptr, ldc),
                      a, nullptr, c, count));
}

// gemmt has an op each for A and B, syr2k one for both; syrkx transposes B if A is not transposed.
#define TRIANGLE_OF_TWO(FORM, name, routine, transa, transb)                                                           \
  template <typename INT>                                                                                              \
  int name(FORM##_PARAMETERS(INT)) {                                                                                   \
    return run(static_cast<BlasHandle *>(handle),                                                                      \
               triangle(handle, routine, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc));            \
  }                                                                                                                    \
  template <typename INT>                                                                                              \
  int name(FORM##_STRIDED_PARAMETERS(INT)) {                                                                           \
    return run(static_cast<BlasHandle *>(handle),                                                                      \
               strided(triangle(handle, routine, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc),     \
                       stride_a, stride_b, stride_c, count));                                                          \
  }                                                                                                                    \
  template <typename INT>                                                                                              \
  int name(FORM##_BATCHED_PARAMETERS(INT)) {                                                                           \
    return run(static_cast<BlasHandle *>(handle),                                                                      \
               pointers(triangle(handle, routine, uplo, transa, transb, n, k, alpha, nullptr, lda, nullptr, ldb, beta, \
                                 nullptr, ldc),                                                                        \
                        a, b, c, count));                                                                              \
  }
TRIANGLE_OF_TWO(SYR2K, syr2k, Routine::syr2k, trans, LIBSGEMM_NO_TRANS)
TRIANGLE_OF_TWO(SYR2K, syrkx, Routine::gemmtr, trans, turned(trans) ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS)
TRIANGLE_OF_TWO(GEMMT, gemmt, Routine::gemmtr, transa, transb)

GemmDesc triangular(const void *handle, Routine routine, int side, int uplo, int trans, int diag, int64_t m, int64_t n,
                    const float *alpha, const float *a, int64_t lda, float *c, int64_t ldc) {
  GemmDesc desc = product(turned(trans), false, m, n, side == LIBSGEMM_LEFT ? m : n,
                          scalar(static_cast<const BlasHandle *>(handle), alpha), a, lda, nullptr, 0,
                          routine == Routine::trsm ? 1.0f : 0.0f, c, ldc);
  desc.routine = routine;
  desc.side = static_cast<libsgemm_side_t>(side);
  desc.uplo = static_cast<libsgemm_uplo_t>(uplo);
  desc.diag = static_cast<libsgemm_diag_t>(diag);
  return desc;
}
template <typename INT>
int trmm(TRMM_PARAMETERS(INT)) {
  const auto *const h = static_cast<BlasHandle *>(handle);
  if (b == c && ldb != ldc) return kInvalidSize;
  if (b != c) copy(h, m, n, b, ldb, c, ldc);
  return run(h, triangular(handle, Routine::trmm, side, uplo, trans, diag, m, n, alpha, a, lda, c, ldc));
}
template <typename INT>
int trmm(TRMM_STRIDED_PARAMETERS(INT)) {
  const auto *const h = static_cast<BlasHandle *>(handle);
  for (INT i = 0; b != c && i < count; ++i) copy(h, m, n, b + i * stride_b, ldb, c + i * stride_c, ldc);
  return run(h, strided(triangular(handle, Routine::trmm, side, uplo, trans, diag, m, n, alpha, a, lda, c, ldc),
                        stride_a, 0, stride_c, count));
}
// Supports TRMM in place only.
template <typename INT>
int trmm(TRMM_BATCHED_PARAMETERS(INT)) {
  if (b != c || ldb != ldc) return kNotImplemented;
  return run(static_cast<BlasHandle *>(handle), pointers(triangular(handle, Routine::trmm, side, uplo, trans, diag, m,
                                                                    n, alpha, nullptr, lda, nullptr, ldc),
                                                         a, nullptr, c, count));
}
template <typename INT>
int trsm(TRSM_PARAMETERS(INT)) {
  return run(static_cast<BlasHandle *>(handle),
             triangular(handle, Routine::trsm, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb));
}
template <typename INT>
int trsm(TRSM_STRIDED_PARAMETERS(INT)) {
  return run(static_cast<BlasHandle *>(handle),
             strided(triangular(handle, Routine::trsm, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb), stride_a,
                     0, stride_b, count));
}
template <typename INT>
int trsm(TRSM_BATCHED_PARAMETERS(INT)) {
  return run(static_cast<BlasHandle *>(handle), pointers(triangular(handle, Routine::trsm, side, uplo, trans, diag, m,
                                                                    n, alpha, nullptr, lda, nullptr, ldb),
                                                         a, nullptr, b, count));
}

}  // namespace

#define DEFINE(FORM, function, name, INT)         \
  EXPORT int name(FORM##_PARAMETERS(INT)) {       \
    t_latest = mock::words(#name, FORM##_NAMES);  \
    if (g_only_record) return kSuccess;           \
    if (handle == nullptr) return kInvalidHandle; \
    if (alpha == nullptr) return kInvalidPointer; \
    return function<INT>(FORM##_NAMES);           \
  }
#define DEFINE_BOTH(FORM, function, name)     \
  DEFINE(FORM, function, rocblas_##name, int) \
  DEFINE(FORM, function, rocblas_##name##_64, int64_t)
ROCBLAS_ENTRIES(DEFINE_BOTH)

EXPORT const char *mock_rocblas_latest(bool only_record) {
  g_only_record = only_record;
  return t_latest.c_str();
}

// With "old_rocblas", ROCm 5's version.
EXPORT int rocblas_get_version_string(char *text, size_t length) {
  return snprintf(text, length, asked_for("old_rocblas") ? "3.1.0.mock" : "4.2.1.mock"), kSuccess;
}
EXPORT int rocblas_create_handle(BlasHandle **handle) { return create_handle(handle); }
EXPORT int rocblas_destroy_handle(BlasHandle *handle) { return destroy_handle(handle); }
EXPORT int rocblas_set_stream(BlasHandle *handle, void *stream) { return handle->stream = stream, kSuccess; }
EXPORT int rocblas_get_stream(const BlasHandle *handle, void **stream) {
  return handle == nullptr ? kInvalidHandle : (*stream = handle->stream, kSuccess);
}
EXPORT int rocblas_set_workspace(const BlasHandle *handle, void *, size_t) {
  return handle == nullptr ? kInvalidHandle : kSuccess;
}
EXPORT int rocblas_set_device_memory_size(const BlasHandle *handle, size_t) {
  return handle == nullptr ? kInvalidHandle : kSuccess;
}
#define MODE(name, field)                                                                                \
  EXPORT int rocblas_set_##name(BlasHandle *handle, int mode) { return handle->field = mode, kSuccess; } \
  EXPORT int rocblas_get_##name(const BlasHandle *handle, int *mode) {                                   \
    return handle == nullptr ? kInvalidHandle : (*mode = handle->field, kSuccess);                       \
  }
MODE(pointer_mode, pointer_mode)
MODE(math_mode, mode)
MODE(atomics_mode, atomics_mode)
EXPORT int rocblas_start_device_memory_size_query(BlasHandle *handle) { return handle->queries = true, kSuccess; }
EXPORT int rocblas_stop_device_memory_size_query(BlasHandle *handle, size_t *bytes) {
  return handle->queries = false, *bytes = 0, kSuccess;
}
EXPORT bool rocblas_is_device_memory_size_query(const BlasHandle *handle) { return handle->queries; }
EXPORT int mock_rocblas_copies() { return g_copies; }
// Copies A only: all that the drop-in needs.
EXPORT int rocblas_sgeam(BlasHandle *handle, int, int, int m, int n, const float *, const float *a, int lda,
                         const float *, const float *, int, float *c, int ldc) {
  return ++g_copies, copy(handle, m, n, a, lda, c, ldc), kSuccess;
}
EXPORT int rocblas_sgeam_64(BlasHandle *handle, int, int, int64_t m, int64_t n, const float *, const float *a,
                            int64_t lda, const float *, const float *, int64_t, float *c, int64_t ldc) {
  return ++g_copies, copy(handle, m, n, a, lda, c, ldc), kSuccess;
}
