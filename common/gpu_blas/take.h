// A program's call to its GPU's BLAS is computed by libsgemm, or forwarded with a reason.
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
  // beta NULL: a routine without it.
  void scalars(const void *the_alpha, const void *the_beta, bool with_beta = true);
  void types(int a, int b, int c);
  bool has_epilogue() const { return epilogue.bias != nullptr || epilogue.function != Epilogue::identity; }
  void refuse(const char *why) {
    if (refusal == nullptr) refusal = why;
  }

  VendorHandle handle;
  Call call;
  const GroupCall *groups = nullptr;  // replaces `call`, whose entry and sizes serve statistics
  const float *alpha = nullptr, *beta = nullptr;
  bool has_beta = true;
  bool c_apart = false;  // C is read from elsewhere: only beta 0 is computed
  Asked asked = Asked::exact;
  const char *refusal = nullptr;  // why the call is forwarded, whatever the handle says
  Epilogue epilogue = {};
  // Arguments of cublasLt.
  bool from_lt = false;
  void *stream = nullptr, *workspace = nullptr;
  size_t workspace_bytes = 0;
};

// This thread is inside the program's BLAS or libsgemm, whose own calls of these names are forwarded.
bool is_inside();
class Inside {
 public:
  Inside();
  ~Inside();
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;
};

struct Preparation {
  int (*prepare)(const void *argument) = nullptr;
  const void *argument = nullptr;
};

// NULL: done, *status is the vendor's. Otherwise why the call is forwarded; C is untouched. `time` may be NULL.
const char *try_ours(const Product &product, const Preparation &first, int *status, GpuTime *time);

bool is_counting();
void *stream_of(const Product &product);
uint64_t nanoseconds_now();
void count_forwarded(const Product &product, const char *why, int status, uint64_t start, GpuTime *time);

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
