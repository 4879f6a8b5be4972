// Which row of a kernel table a call gets: legality, cost, the mode asked for.
#include <cstdint>
#include <string>

#include "catch.h"
#include "kernel_table.h"

namespace {

using namespace libsgemm;

// Seconds of the rows; a negative number: the row does not support the call.
double g_fp32, g_slow_fp32, g_bf16x6, g_tf32;

template <double *kSeconds>
Kernel row(const char *name, libsgemm_math_mode_t mode) {
  Kernel kernel = {};
  kernel.name = name;
  kernel.math_mode = mode;
  kernel.supports = [](const GemmDesc &, int) { return *kSeconds >= 0; };
  kernel.cost = [](const GemmDesc &, int) { return *kSeconds; };
  return kernel;
}

// The name of the row that a call gets. Choices are kept: each call is of another size.
std::string chosen(libsgemm_math_mode_t mode, double fp32, double slow_fp32, double bf16x6, double tf32,
                   bool planned = false) {
  static const Kernel rows[] = {
      row<&g_slow_fp32>("slow_fp32", LIBSGEMM_MATH_FP32), row<&g_fp32>("fp32", LIBSGEMM_MATH_FP32),
      row<&g_bf16x6>("bf16x6", LIBSGEMM_MATH_BF16X6), row<&g_tf32>("tf32", LIBSGEMM_MATH_TF32)};
  static int64_t size = 0;
  g_fp32 = fp32, g_slow_fp32 = slow_fp32, g_bf16x6 = bf16x6, g_tf32 = tf32;
  Backend backend = {};
  backend.kernels = rows;
  backend.kernel_count = 4;
  GemmDesc desc = {};
  desc.m = ++size;
  desc.math_mode = mode;
  if (planned) desc.plan_b = &size;
  const Kernel *kernel = select_kernel(backend, desc, 0, SIZE_MAX);
  return kernel == nullptr ? "none" : kernel->name;
}

constexpr double kNone = -1;

}  // namespace

TEST_CASE("the cheapest row of the mode wins") {
  CHECK(chosen(LIBSGEMM_MATH_FP32, 1, 2, 0.1, 0.1) == "fp32");
  CHECK(chosen(LIBSGEMM_MATH_FP32, kNone, 2, 0.1, 0.1) == "slow_fp32");
  CHECK(chosen(LIBSGEMM_MATH_FP32, 1, 1, 0.1, 0.1) == "slow_fp32");  // the first of equals
  CHECK(chosen(LIBSGEMM_MATH_FP32, kNone, kNone, 0.1, 0.1) == "none");
}

TEST_CASE("a mode that has no row is computed in FP32") {
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, 1, 2, kNone, 0.1) == "fp32");
  CHECK(chosen(LIBSGEMM_MATH_TF32, 1, 2, 0.1, kNone) == "fp32");
  CHECK(chosen(LIBSGEMM_MATH_BF16, 1, 2, 0.1, 0.1) == "fp32");
}

TEST_CASE("a mode with the error of FP32 runs only if it is faster, one with its own rounding always") {
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, 1, 2, 0.5, 0.1) == "bf16x6");
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, 1, 2, 1.5, 0.1) == "fp32");
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, 2, 1, 1.5, 0.1) == "slow_fp32");
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, kNone, kNone, 1.5, 0.1) == "bf16x6");
  CHECK(chosen(LIBSGEMM_MATH_TF32, 1, 2, 0.1, 1.5) == "tf32");
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, 1, 2, 1.5, 0.1, true) == "bf16x6");
}

TEST_CASE("a choice is kept for descriptions that are the same in all that rows may look at") {
  alignas(16) static const float place[8] = {};
  const GemmDesc desc = {Routine::gemm,
                         Type::f32,
                         LIBSGEMM_MATH_FP32,
                         LIBSGEMM_NO_TRANS,
                         LIBSGEMM_NO_TRANS,
                         LIBSGEMM_LEFT,
                         LIBSGEMM_UPPER,
                         LIBSGEMM_NON_UNIT,
                         false,
                         100,
                         90,
                         80,
                         1.0f,
                         0.0f,
                         104,
                         108,
                         112,
                         place,
                         place,
                         nullptr,
                         Batch::none,
                         1,
                         5,
                         6,
                         7,
                         nullptr,
                         nullptr,
                         nullptr,
                         nullptr,
                         nullptr};
  const auto changed = [&](auto change) {
    GemmDesc other = desc;
    change(&other);
    return !(choice_key(other) == choice_key(desc));
  };
#define CHANGES(member, value) CHECK(changed([](GemmDesc *d) { d->member = value; }))
  CHANGES(routine, Routine::gemmtr);
  CHANGES(type, Type::f16);
  CHANGES(math_mode, LIBSGEMM_MATH_TF32);
  CHANGES(transa, LIBSGEMM_TRANS);
  CHANGES(transb, LIBSGEMM_TRANS);
  CHANGES(side, LIBSGEMM_RIGHT);
  CHANGES(uplo, LIBSGEMM_LOWER);
  CHANGES(diag, LIBSGEMM_UNIT);
  CHANGES(deterministic, true);
  CHANGES(m, 101);
  CHANGES(n, int64_t{90} + (int64_t{1} << 40));
  CHANGES(k, 81);
  CHANGES(alpha, 2.0f);
  CHANGES(beta, 1.0f);
  CHANGES(lda, 105);
  CHANGES(ldb, 109);
  CHANGES(ldc, 113);
  CHANGES(batch, Batch::strided);
  CHANGES(batch_count, 2);
  CHANGES(stride_a, 6);
  CHANGES(stride_b, 7);
  CHANGES(stride_c, 8);
  CHANGES(a, place + 1);
  CHANGES(b, nullptr);
  CHANGES(c, const_cast<float *>(place));
  CHANGES(plan_a, place);
  CHANGES(plan_b, place);
#undef CHANGES
  CHECK(!changed([](GemmDesc *d) { d->a = place + 4; }));  // as well aligned
  CHECK(!changed([](GemmDesc *d) { d->a_array = reinterpret_cast<const void *const *>(&place); }));
}
