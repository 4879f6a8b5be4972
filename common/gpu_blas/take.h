// One call of a program to its GPU's BLAS: whether it is ours, and if not, why, and on to the program's own library.
#pragma once

#include <cstdint>

#include "call/call.h"
#include "gpu_blas/gpu_time.h"
#include "gpu_blas/vendor.h"

namespace libsgemm {

struct Product {
  Product(const char *entry, VendorHandle the_handle, Routine routine, Type type = Type::f32);

  void size(int64_t m, int64_t n, int64_t k);
  void operands(const void *a, int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc);
  void strides(int64_t a, int64_t b, int64_t c, int64_t batch_count);
  // The scalars as the program has them; beta is NULL for routines that have none.
  void scalars(const void *the_alpha, const void *the_beta, bool with_beta = true);
  // Of the forms that name them.
  void types(int a, int b, int c);
  bool has_epilogue() const { return epilogue.bias != nullptr || epilogue.function != Epilogue::identity; }
  void refuse(const char *why) {
    if (refusal == nullptr) refusal = why;
  }

  VendorHandle handle;
  Call call;
  const GroupCall *groups = nullptr;  // in place of `call`, of which the entry and sizes for statistics remain
  const float *alpha = nullptr, *beta = nullptr;
  bool has_beta = true;
  bool c_apart = false;  // C is read from elsewhere: ours if beta is 0
  Asked asked = Asked::exact;
  const char *refusal = nullptr;  // why the call is not ours, whatever the handle says
  Epilogue epilogue = {};
  // cublasLt: the call itself says what a handle of the others is asked for.
  bool from_lt = false;
  void *stream = nullptr, *workspace = nullptr;
  size_t workspace_bytes = 0;
};

// This thread is inside the program's BLAS or libsgemm already, whose calls of these names are their own.
bool is_inside();
class Inside {
 public:
  Inside();
  ~Inside();
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;
};

// Called with its argument as the last thing before a product is computed, for what the program's BLAS has to do first;
// its status is that library's.
struct Preparation {
  int (*prepare)(const void *argument) = nullptr;
  const void *argument = nullptr;
};

// NULL: done, with the vendor's status for it in *status. Otherwise the words for why the call goes on, with C
// untouched. `time` may be NULL.
const char *try_ours(const Product &product, const Preparation &first, int *status, GpuTime *time);

// Statistics: whether calls are counted, on which stream they are timed, and a call that went on.
bool is_counting();
void *stream_of(const Product &product);
uint64_t nanoseconds_now();
void count_forwarded(const Product &product, const char *why, int status, uint64_t start, GpuTime *time);

// Computes the call or has `forward` make it.
template <typename Forward>
int take(const Product &product, const Forward &forward, const Preparation &first = {}) {
  if (is_inside()) return forward();
  const Inside inside;
  int status = kVendorSuccess;
  if (!is_counting()) return try_ours(product, first, &status, nullptr) == nullptr ? status : forward();
  GpuTime time(stream_of(product));
  const char *const why = try_ours(product, first, &status, &time);
  if (why == nullptr) return status;
  time.restart();
  const uint64_t start = nanoseconds_now();
  status = forward();
  count_forwarded(product, why, status, start, &time);
  return status;
}

}  // namespace libsgemm
