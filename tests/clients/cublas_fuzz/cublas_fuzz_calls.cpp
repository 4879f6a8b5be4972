#include "cublas_fuzz_calls.h"

#include <dlfcn.h>

#include <type_traits>

Api linked_api() {
  Api api;
#define TAKE_TYPED(name, type) TAKE(name)
#define TAKE(name)    \
  api.name = &::name; \
  api.name##_64 = &::name##_64;
  CUBLAS_FUNCTIONS(TAKE)
  CUBLAS_OVERLOADED(TAKE_TYPED)
#undef TAKE_TYPED
#undef TAKE
  api.cublasLtMatmul = &::cublasLtMatmul;
  return api;
}

Api api_of(void *cublas, void *cublaslt) {
  Api api;
#define FIND_TYPED(name, type) FIND(name)
#define FIND(name)                                                       \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(cublas, #name)); \
  api.name##_64 = reinterpret_cast<decltype(api.name##_64)>(dlsym(cublas, #name "_64"));
  CUBLAS_FUNCTIONS(FIND)
  CUBLAS_OVERLOADED(FIND_TYPED)
#undef FIND_TYPED
#undef FIND
  api.cublasLtMatmul = reinterpret_cast<decltype(api.cublasLtMatmul)>(dlsym(cublaslt, "cublasLtMatmul"));
  return api;
}

const char *name_of(Routine routine) {
  static const char *const names[] = {"Sgemm",
                                      "SgemmEx",
                                      "GemmEx",
                                      "SgemmBatched",
                                      "GemmBatchedEx",
                                      "SgemmStridedBatched",
                                      "GemmStridedBatchedEx",
                                      "SgemmGroupedBatched",
                                      "GemmGroupedBatchedEx",
                                      "Ssymm",
                                      "Ssyrk",
                                      "Ssyrkx",
                                      "Ssyr2k",
                                      "Strmm",
                                      "Strsm",
                                      "StrsmBatched",
                                      "LtMatmul"};
  return names[static_cast<int>(routine)];
}

bool is_batch(Routine r) { return (r >= Routine::batched && r <= Routine::grouped_ex) || r == Routine::trsm_batched; }
bool has_b(Routine r) {
  return r != Routine::syrk && r != Routine::trmm && r != Routine::trsm && r != Routine::trsm_batched;
}
bool is_triangle(Routine r) { return r == Routine::syrk || r == Routine::syrkx || r == Routine::syr2k; }

void send_pointers(const Case &x, const Operands &at) {
  const size_t size = x.type == CUDA_R_32F ? 4 : x.type == CUDA_R_64F ? 8 : 2;
  std::vector<const void *> a, b;
  std::vector<void *> c;
  for (int64_t i = 0; i < x.count; ++i) {
    a.push_back(static_cast<const char *>(at.a) + static_cast<size_t>(i * x.stride_a) * size);
    b.push_back(static_cast<const char *>(at.b) + static_cast<size_t>(i * x.stride_b) * size);
    c.push_back(at.c + i * x.stride_c);
  }
  const size_t bytes = a.size() * sizeof(void *);
  cudaMemcpyAsync(static_cast<void *>(at.a_array), static_cast<const void *>(a.data()), bytes, cudaMemcpyHostToDevice,
                  at.stream);
  cudaMemcpyAsync(static_cast<void *>(at.b_array), static_cast<const void *>(b.data()), bytes, cudaMemcpyHostToDevice,
                  at.stream);
  cudaMemcpyAsync(static_cast<void *>(at.c_array), static_cast<const void *>(c.data()), bytes, cudaMemcpyHostToDevice,
                  at.stream);
  cudaStreamSynchronize(at.stream);
}

namespace {

template <typename INT, typename Narrow, typename Wide>
auto pick(Narrow narrow, Wide wide) {
  if constexpr (std::is_same<INT, int>::value) {
    return narrow;
  } else {
    return wide;
  }
}
#define PICK(name) pick<INT>(api.name, api.name##_64)

// Calls two groups of one shape.
template <typename INT>
int grouped(const Api &api, const Case &x, const Operands &at, cublasHandle_t handle, const float *alpha,
            const float *beta) {
  const INT m = static_cast<INT>(x.m), n = static_cast<INT>(x.n), k = static_cast<INT>(x.k);
  const INT lda = static_cast<INT>(x.lda), ldb = static_cast<INT>(x.ldb), ldc = static_cast<INT>(x.ldc);
  const INT first = static_cast<INT>(x.count / 2), rest = static_cast<INT>(x.count - x.count / 2);
  const cublasOperation_t ta[] = {x.transa, x.transa}, tb[] = {x.transb, x.transb};
  const INT ms[] = {m, m}, ns[] = {n, n}, ks[] = {k, k}, las[] = {lda, lda}, lbs[] = {ldb, ldb}, lcs[] = {ldc, ldc};
  const INT sizes[] = {first, rest};
  const float alphas[] = {*alpha, *alpha}, betas[] = {*beta, *beta};
  auto *const a = reinterpret_cast<const float *const *>(at.a_array);
  auto *const b = reinterpret_cast<const float *const *>(at.b_array);
  auto *const c = reinterpret_cast<float *const *>(at.c_array);
  if (x.routine == Routine::grouped) {
    return PICK(cublasSgemmGroupedBatched)(handle, ta, tb, ms, ns, ks, alphas, a, las, b, lbs, betas, c, lcs, 2, sizes);
  }
  return PICK(cublasGemmGroupedBatchedEx)(handle, ta, tb, ms, ns, ks, alphas, at.a_array, x.type, las, at.b_array,
                                          x.type, lbs, betas, at.c_array, x.c_type, lcs, 2, sizes, x.compute);
}

template <typename INT>
int call(const Api &api, const Case &x, const Operands &at, cublasHandle_t h) {
  const auto m = static_cast<INT>(x.m), n = static_cast<INT>(x.n), k = static_cast<INT>(x.k);
  const auto lda = static_cast<INT>(x.lda), ldb = static_cast<INT>(x.ldb), ldc = static_cast<INT>(x.ldc);
  const auto count = static_cast<INT>(x.count);
  const float *const alpha = x.on_device ? at.alpha : &x.alpha;
  const float *const beta = x.on_device ? at.beta : &x.beta;
  const auto *const a = static_cast<const float *>(at.a), *const b = static_cast<const float *>(at.b);
  auto *const as = reinterpret_cast<const float *const *>(at.a_array);
  auto *const bs = reinterpret_cast<const float *const *>(at.b_array);
  auto *const cs = reinterpret_cast<float *const *>(at.c_array);
  switch (x.routine) {
    case Routine::gemm:
      return PICK(cublasSgemm_v2)(h, x.transa, x.transb, m, n, k, alpha, a, lda, b, ldb, beta, at.c, ldc);
    case Routine::sgemm_ex:
      return PICK(cublasSgemmEx)(h, x.transa, x.transb, m, n, k, alpha, at.a, x.type, lda, at.b, x.type, ldb, beta,
                                 at.c, x.c_type, ldc);
    case Routine::gemm_ex:
      return PICK(cublasGemmEx)(h, x.transa, x.transb, m, n, k, alpha, at.a, x.type, lda, at.b, x.type, ldb, beta, at.c,
                                x.c_type, ldc, x.compute, x.algorithm);
    case Routine::batched:
      return PICK(cublasSgemmBatched)(h, x.transa, x.transb, m, n, k, alpha, as, lda, bs, ldb, beta, cs, ldc, count);
    case Routine::batched_ex:
      return PICK(cublasGemmBatchedEx)(h, x.transa, x.transb, m, n, k, alpha, at.a_array, x.type, lda, at.b_array,
                                       x.type, ldb, beta, at.c_array, x.c_type, ldc, count, x.compute, x.algorithm);
    case Routine::strided:
      return PICK(cublasSgemmStridedBatched)(h, x.transa, x.transb, m, n, k, alpha, a, lda, x.stride_a, b, ldb,
                                             x.stride_b, beta, at.c, ldc, x.stride_c, count);
    case Routine::strided_ex:
      return PICK(cublasGemmStridedBatchedEx)(h, x.transa, x.transb, m, n, k, alpha, at.a, x.type, lda, x.stride_a,
                                              at.b, x.type, ldb, x.stride_b, beta, at.c, x.c_type, ldc, x.stride_c,
                                              count, x.compute, x.algorithm);
    case Routine::grouped:
    case Routine::grouped_ex:
      return grouped<INT>(api, x, at, h, &x.alpha, &x.beta);
    case Routine::symm:
      return PICK(cublasSsymm_v2)(h, x.side, x.uplo, m, n, alpha, a, lda, b, ldb, beta, at.c, ldc);
    case Routine::syrk:
      return PICK(cublasSsyrk_v2)(h, x.uplo, x.transa, n, k, alpha, a, lda, beta, at.c, ldc);
    case Routine::syrkx:
      return PICK(cublasSsyrkx)(h, x.uplo, x.transa, n, k, alpha, a, lda, b, ldb, beta, at.c, ldc);
    case Routine::syr2k:
      return PICK(cublasSsyr2k_v2)(h, x.uplo, x.transa, n, k, alpha, a, lda, b, ldb, beta, at.c, ldc);
    case Routine::trmm:
      return x.stride_c != 0
                 ? PICK(cublasStrmm_v2)(h, x.side, x.uplo, x.transa, x.diag, m, n, alpha, a, lda, b, ldb, at.c, ldc)
                 : PICK(cublasStrmm_v2)(h, x.side, x.uplo, x.transa, x.diag, m, n, alpha, a, lda, at.c, ldc, at.c, ldc);
    case Routine::trsm:
      return PICK(cublasStrsm_v2)(h, x.side, x.uplo, x.transa, x.diag, m, n, alpha, a, lda, at.c, ldc);
    case Routine::trsm_batched:
      return PICK(cublasStrsmBatched)(h, x.side, x.uplo, x.transa, x.diag, m, n, alpha, as, lda, cs, ldc, count);
    default:
      return -1;
  }
}

struct Layout {
  Layout(cudaDataType_t type, int64_t rows, int64_t columns, int64_t ld, bool by_rows, int count, int64_t stride) {
    cublasLtMatrixLayoutCreate(&layout, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), ld);
    const cublasLtOrder_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
    cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
    cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
  }
  ~Layout() { cublasLtMatrixLayoutDestroy(layout); }
  Layout(const Layout &) = delete;
  Layout &operator=(const Layout &) = delete;
  cublasLtMatrixLayout_t layout = nullptr;
};

int lt(const Api &api, const Case &x, const Operands &at, cublasHandle_t handle) {
  const bool ta = x.transa != CUBLAS_OP_N, tb = x.transb != CUBLAS_OP_N;
  const int count = static_cast<int>(x.count);
  const Layout a(x.type, ta ? x.k : x.m, ta ? x.m : x.k, x.lda, x.rows, count, x.stride_a);
  const Layout b(x.type, tb ? x.n : x.k, tb ? x.k : x.n, x.ldb, x.rows, count, x.stride_b);
  const Layout c(x.c_type, x.m, x.n, x.ldc, x.rows, count, x.stride_c);
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatmulDescCreate(&desc, x.compute, CUDA_R_32F);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &x.transa, sizeof x.transa);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &x.transb, sizeof x.transb);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &x.epilogue, sizeof x.epilogue);
  if ((x.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) {
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &at.bias, sizeof at.bias);
  }
  const cublasLtPointerMode_t mode = x.on_device ? CUBLASLT_POINTER_MODE_DEVICE : CUBLASLT_POINTER_MODE_HOST;
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, &mode, sizeof mode);
  const float *const alpha = x.on_device ? at.alpha : &x.alpha;
  const float *const beta = x.on_device ? at.beta : &x.beta;
  const int status = api.cublasLtMatmul(reinterpret_cast<cublasLtHandle_t>(handle), desc, alpha, at.a, a.layout, at.b,
                                        b.layout, beta, at.c, c.layout, at.c, c.layout, nullptr, nullptr, 0, at.stream);
  cublasLtMatmulDescDestroy(desc);
  return status;
}

}  // namespace

int make_call(const Api &api, const Case &x, const Operands &at, cublasHandle_t handle) {
  const cublasHandle_t used = x.no_handle ? nullptr : handle;
  if (x.routine == Routine::lt) return lt(api, x, at, used);
  return x.wide ? call<int64_t>(api, x, at, used) : call<int>(api, x, at, used);
}
