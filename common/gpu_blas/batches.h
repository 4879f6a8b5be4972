// Batches by arrays of pointers; a batch of one shape is one group.
#pragma once

#include <algorithm>
#include <new>
#include <vector>

#include "gpu_blas/real.h"
#include "gpu_blas/take.h"

namespace libsgemm {

struct Groups {
  std::vector<libsgemm_op_t> transa, transb;
  std::vector<int64_t> m, n, k, lda, ldb, ldc, size;
  GroupCall call = {};
};

inline libsgemm_op_t as_op(int theirs) { return static_cast<libsgemm_op_t>(std::max(op_of(theirs), 0)); }

template <typename INT>
const int64_t *widen(const INT *array, int64_t count, std::vector<int64_t> *wide) {
  if (array == nullptr) return nullptr;
  wide->assign(array, array + count);
  return wide->data();
}

inline const libsgemm_op_t *translate(const int *array, int64_t count, std::vector<libsgemm_op_t> *ops) {
  if (array == nullptr) return nullptr;
  ops->reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) ops->push_back(as_op(array[i]));
  return ops->data();
}

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

// *p then points into *groups.
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

}  // namespace libsgemm

#define GEMM_BATCHED(INT, name)                                                                                    \
  LIBSGEMM_API int name(VendorHandle handle, int transa, int transb, INT m, INT n, INT k, const float *alpha,      \
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
