#include "plans.h"

#include <new>

#include "base/library.h"

namespace command {
namespace {

libsgemm_plan_t make_plan(libsgemm_handle_t h, libsgemm_side_t side, libsgemm_op_t trans, int64_t rows, int64_t cols,
                          const void *x, int64_t ld) {
  libsgemm_plan_t plan = nullptr;
  const libsgemm_status_t status =
      libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, side, trans, rows, cols, static_cast<const float *>(x), ld, &plan);
  if (status == LIBSGEMM_OUT_OF_MEMORY) throw std::bad_alloc();
  require(status);
  return plan;
}

}  // namespace

Plans::Plans(libsgemm_handle_t h, const std::string &operands)
    : handle_(h), a_(operands.find('a') != std::string::npos), b_(operands.find('b') != std::string::npos) {}

Plans::~Plans() {
  for (const Pair &pair : pairs_) {
    libsgemm_plan_destroy(pair.a);
    libsgemm_plan_destroy(pair.b);
  }
}

void Plans::keep(const std::vector<Call> &calls) {
  if (!a_ && !b_) return;
  for (size_t set = pairs_.size(); set < calls.size(); ++set) {
    const Call &x = calls[set];
    pairs_.push_back({nullptr, nullptr});
    Pair &pair = pairs_.back();
    if (a_) pair.a = make_plan(handle_, LIBSGEMM_LEFT, x.transa, x.m, x.k, x.a, x.lda);
    if (b_) pair.b = make_plan(handle_, LIBSGEMM_RIGHT, x.transb, x.k, x.n, x.b, x.ldb);
  }
}

libsgemm_status_t Plans::call(const std::vector<Call> &calls, size_t set) const {
  const Call &x = calls[set];
  if (pairs_.empty()) return call_library(handle_, x);
  return libsgemm_sgemm_planned_h(
      handle_, LIBSGEMM_COL_MAJOR, x.transa, x.transb, x.m, x.n, x.k, x.alpha, static_cast<const float *>(x.a), x.lda,
      pairs_[set].a, static_cast<const float *>(x.b), x.ldb, pairs_[set].b, x.beta, static_cast<float *>(x.c), x.ldc);
}

}  // namespace command
