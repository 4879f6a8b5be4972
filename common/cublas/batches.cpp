// cuBLAS's batches by arrays of pointers: of one shape, and in groups.
#include <new>
#include <vector>

#include "cublas/real.h"
#include "cublas/take.h"

namespace libsgemm {
namespace {

// Parameters of groups as GroupCall has them.
struct Groups {
  std::vector<libsgemm_op_t> transa, transb;
  std::vector<int64_t> m, n, k, lda, ldb, ldc, size;
  GroupCall call = {};
};

libsgemm_op_t as_op(int cublas) { return static_cast<libsgemm_op_t>(Product::op(cublas)); }

template <typename INT>
const int64_t *widen(const INT *array, int64_t count, std::vector<int64_t> *wide) {
  if (array == nullptr) return nullptr;
  wide->assign(array, array + count);
  return wide->data();
}

const libsgemm_op_t *translate(const int *array, int64_t count, std::vector<libsgemm_op_t> *ops) {
  if (array == nullptr) return nullptr;
  ops->reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) ops->push_back(as_op(array[i]));
  return ops->data();
}

// A cuBLAS call of groups; those of one group have their arrays on the caller's stack.
template <typename INT>
struct GroupArguments {
  const int *transa, *transb;
  const INT *m, *n, *k;
  const void *alpha;
  const void *const *a;
  const INT *lda;
  const void *const *b;
  const INT *ldb;
  const void *beta;
  void *const *c;
  const INT *ldc;
  INT count;
  const INT *size;
};

// `groups` has what *p points to.
template <typename INT>
void describe(Product *p, const GroupArguments<INT> &x, Groups *groups) {
  GroupCall &call = groups->call;
  call.entry = p->call.entry;
  call.type = p->call.type;
  call.layout = LIBSGEMM_COL_MAJOR;
  call.device_only = true;
  const int64_t count = x.count > 0 ? x.count : 0;
  call.group_count = x.count;
  call.transa = translate(x.transa, count, &groups->transa);
  call.transb = translate(x.transb, count, &groups->transb);
  call.m = widen(x.m, count, &groups->m);
  call.n = widen(x.n, count, &groups->n);
  call.k = widen(x.k, count, &groups->k);
  call.lda = widen(x.lda, count, &groups->lda);
  call.ldb = widen(x.ldb, count, &groups->ldb);
  call.ldc = widen(x.ldc, count, &groups->ldc);
  call.group_size = widen(x.size, count, &groups->size);
  call.alpha = static_cast<const float *>(x.alpha);
  call.beta = static_cast<const float *>(x.beta);
  call.a = x.a;
  call.b = x.b;
  call.c = reinterpret_cast<float *const *>(x.c);
  p->scalars(x.alpha, x.beta);
  p->groups = &call;
}

template <typename INT, typename Forward>
int take_groups(Product *p, const GroupArguments<INT> &x, const Forward &forward) {
  if (is_inside()) return forward();
  Groups groups;
  try {
    describe(p, x, &groups);
  } catch (const std::bad_alloc &) {
    p->groups = nullptr;
    p->refuse("out of memory");
  }
  return take(*p, forward);
}

}  // namespace
}  // namespace libsgemm

using namespace libsgemm;

#define GEMM_BATCHED(INT, name)                                                                                    \
  LIBSGEMM_API int name(CublasHandle handle, int transa, int transb, INT m, INT n, INT k, const float *alpha,      \
                        const float *const *a, INT lda, const float *const *b, INT ldb, const float *beta,         \
                        float *const *c, INT ldc, INT count) {                                                     \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p(#name, handle, Routine::gemm);                                                                       \
    const GroupArguments<INT> x = {&transa,                                                                        \
                                   &transb,                                                                        \
                                   &m,                                                                             \
                                   &n,                                                                             \
                                   &k,                                                                             \
                                   alpha,                                                                          \
                                   reinterpret_cast<const void *const *>(a),                                       \
                                   &lda,                                                                           \
                                   reinterpret_cast<const void *const *>(b),                                       \
                                   &ldb,                                                                           \
                                   beta,                                                                           \
                                   reinterpret_cast<void *const *>(c),                                             \
                                   &ldc,                                                                           \
                                   1,                                                                              \
                                   &count};                                                                        \
    return take_groups(                                                                                            \
        &p, x, [&] { return real(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count); }); \
  }

#define GEMM_BATCHED_EX(INT, name)                                                                                     \
  LIBSGEMM_API int name(CublasHandle handle, int transa, int transb, INT m, INT n, INT k, const void *alpha,           \
                        const void *const *a, int a_type, INT lda, const void *const *b, int b_type, INT ldb,          \
                        const void *beta, void *const *c, int c_type, INT ldc, INT count, int compute, int which) {    \
    static Real<decltype(name)> real(#name);                                                                           \
    Product p(#name, handle, Routine::gemm);                                                                           \
    p.types(a_type, b_type, c_type);                                                                                   \
    p.compute_type(compute);                                                                                           \
    p.algorithm(which);                                                                                                \
    const GroupArguments<INT> x = {&transa, &transb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc, 1, &count};   \
    return take_groups(&p, x, [&] {                                                                                    \
      return real(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, count, \
                  compute, which);                                                                                     \
    });                                                                                                                \
  }

#define GEMM_GROUPED(INT, name)                                                                                    \
  LIBSGEMM_API int name(CublasHandle handle, const int *transa, const int *transb, const INT *m, const INT *n,     \
                        const INT *k, const float *alpha, const float *const *a, const INT *lda,                   \
                        const float *const *b, const INT *ldb, const float *beta, float *const *c, const INT *ldc, \
                        INT count, const INT *size) {                                                              \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p(#name, handle, Routine::gemm);                                                                       \
    const GroupArguments<INT> x = {transa,                                                                         \
                                   transb,                                                                         \
                                   m,                                                                              \
                                   n,                                                                              \
                                   k,                                                                              \
                                   alpha,                                                                          \
                                   reinterpret_cast<const void *const *>(a),                                       \
                                   lda,                                                                            \
                                   reinterpret_cast<const void *const *>(b),                                       \
                                   ldb,                                                                            \
                                   beta,                                                                           \
                                   reinterpret_cast<void *const *>(c),                                             \
                                   ldc,                                                                            \
                                   count,                                                                          \
                                   size};                                                                          \
    return take_groups(&p, x, [&] {                                                                                \
      return real(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count, size);              \
    });                                                                                                            \
  }

// Of 16-bit inputs with FP32 output cuBLAS refuses most, and the program is to hear it.
#define GEMM_GROUPED_EX(INT, name)                                                                                     \
  LIBSGEMM_API int name(CublasHandle handle, const int *transa, const int *transb, const INT *m, const INT *n,         \
                        const INT *k, const void *alpha, const void *const *a, int a_type, const INT *lda,             \
                        const void *const *b, int b_type, const INT *ldb, const void *beta, void *const *c,            \
                        int c_type, const INT *ldc, INT count, const INT *size, int compute) {                         \
    static Real<decltype(name)> real(#name);                                                                           \
    Product p(#name, handle, Routine::gemm);                                                                           \
    p.types(a_type, b_type, c_type);                                                                                   \
    p.compute_type(compute);                                                                                           \
    if (p.call.type != Type::f32) p.refuse("types");                                                                   \
    const GroupArguments<INT> x = {transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count, size};         \
    return take_groups(&p, x, [&] {                                                                                    \
      return real(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, count, \
                  size, compute);                                                                                      \
    });                                                                                                                \
  }

extern "C" {
GEMM_BATCHED(int, cublasSgemmBatched)
GEMM_BATCHED(int64_t, cublasSgemmBatched_64)
GEMM_BATCHED_EX(int, cublasGemmBatchedEx)
GEMM_BATCHED_EX(int64_t, cublasGemmBatchedEx_64)
GEMM_GROUPED(int, cublasSgemmGroupedBatched)
GEMM_GROUPED(int64_t, cublasSgemmGroupedBatched_64)
GEMM_GROUPED_EX(int, cublasGemmGroupedBatchedEx)
GEMM_GROUPED_EX(int64_t, cublasGemmGroupedBatchedEx_64)
}
