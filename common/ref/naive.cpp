// cpu_scalar_1x1x1_naive: every routine by its definition, one FP32 sum per element in the order of k. It is the oracle
// for the other kernels, and serves products of a few elements, because it does not pack. Only trmm needs memory.
#include <cstring>

#include "matrix/scratch.h"
#include "ref.h"
#include "solve.h"

namespace libsgemm {
namespace {

float sum(const Product &p, int64_t i, int64_t j) {
  const Span span = p.span(i, j);
  float s = 0;
  for (int64_t l = span.first; l < span.last; ++l) s += p.x.at(i, l) * p.y.at(l, j);
  return s;
}

void multiply(const GemmDesc &desc, const Products &p) {
  for (int64_t j = 0; j < desc.n; ++j) {
    for (int64_t i = p.out.first_row(j); i < p.out.last_row(j, desc.m); ++i) {
      float s = sum(p.term[0], i, j);
      if (p.count == 2) s += sum(p.term[1], i, j);
      float *c = p.out.at(i, j);
      *c = desc.beta == 0.0f ? desc.alpha * s : desc.alpha * s + desc.beta * *c;
    }
  }
}

libsgemm_status_t run(const GemmDesc &desc, Error *error) {
  if (desc.routine == Routine::trsm) {
    const Triangle s = triangle(desc);
    substitute(s, 0, s.order, desc.alpha);
    return LIBSGEMM_SUCCESS;
  }
  const float *factor = nullptr;
  if (desc.routine == Routine::trmm) {
    float *copy = thread_scratch(static_cast<size_t>(desc.m) * static_cast<size_t>(desc.n));
    if (copy == nullptr) {
      set_error(error, "no host memory for a copy of B");
      return LIBSGEMM_OUT_OF_MEMORY;
    }
    for (int64_t j = 0; j < desc.n; ++j) {
      std::memcpy(copy + j * desc.m, desc.c + j * desc.ldc, static_cast<size_t>(desc.m) * sizeof(float));
    }
    factor = copy;
  }
  multiply(desc, products(desc, factor, desc.m));
  return LIBSGEMM_SUCCESS;
}

}  // namespace

libsgemm_status_t cpu_scalar_1x1x1_naive(const GemmDesc &desc, const Launch &, Error *error) {
  for (int64_t i = 0; i < desc.batch_count; ++i) {
    const libsgemm_status_t status = run(desc.batch == Batch::none ? desc : batch_item(desc, i), error);
    if (status != LIBSGEMM_SUCCESS) return status;
  }
  return LIBSGEMM_SUCCESS;
}

}  // namespace libsgemm
