#include <cstdint>
#include <string>
#include <vector>

#include "contract/kernel_table.h"
#include "process/thread_info.h"
#include "support/catch.h"
#include "support/modes.h"

namespace {

using namespace libsgemm;

// Predicted seconds; negative: not supported.
double g_fp32, g_slow_fp32, g_bf16x6, g_tf32, g_fp64;

template <double *kSeconds>
Kernel make_kernel(const char *name, libsgemm_math_mode_t mode) {
  Kernel kernel = {};
  kernel.name = name;
  kernel.math_mode = mode;
  kernel.prepare = [](const GemmDesc &, int) { return *kSeconds >= 0 ? planned(*kSeconds) : Plan(); };
  return kernel;
}

// Choices are cached, so each call has a new size.
std::string chosen(libsgemm_math_mode_t mode, double fp32, double slow_fp32, double bf16x6, double tf32,
                   bool planned = false, double fp64 = -1) {
  static const Kernel kernels[] = {
      make_kernel<&g_slow_fp32>("slow_fp32", LIBSGEMM_MATH_FP32), make_kernel<&g_fp32>("fp32", LIBSGEMM_MATH_FP32),
      make_kernel<&g_bf16x6>("bf16x6", LIBSGEMM_MATH_BF16X6), make_kernel<&g_tf32>("tf32", LIBSGEMM_MATH_TF32),
      make_kernel<&g_fp64>("fp64", LIBSGEMM_MATH_FP64)};
  static int64_t size = 0;
  g_fp32 = fp32, g_slow_fp32 = slow_fp32, g_bf16x6 = bf16x6, g_tf32 = tf32, g_fp64 = fp64;
  Backend backend = {};
  backend.kernels = kernels;
  backend.kernel_count = 5;
  GemmDesc desc = {};
  desc.m = ++size;
  desc.math_mode = mode;
  if (planned) desc.plan_b = &size;
  const Kernel *kernel = best_plan(backend, desc, 0, SIZE_MAX).kernel;
  return kernel == nullptr ? "none" : kernel->name;
}

constexpr double kNone = -1;

}  // namespace

TEST_CASE("the cheapest kernel of the mode wins") {
  CHECK(chosen(LIBSGEMM_MATH_FP32, 1, 2, 0.1, 0.1) == "fp32");
  CHECK(chosen(LIBSGEMM_MATH_FP32, kNone, 2, 0.1, 0.1) == "slow_fp32");
  CHECK(chosen(LIBSGEMM_MATH_FP32, 1, 1, 0.1, 0.1) == "slow_fp32");  // the first of equals
  CHECK(chosen(LIBSGEMM_MATH_FP32, kNone, kNone, 0.1, 0.1) == "none");
}

TEST_CASE("a mode that has no kernel is computed in FP32") {
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, 1, 2, kNone, 0.1) == "fp32");
  CHECK(chosen(LIBSGEMM_MATH_TF32, 1, 2, 0.1, kNone) == "fp32");
  CHECK(chosen(LIBSGEMM_MATH_BF16, 1, 2, 0.1, 0.1) == "fp32");
}

TEST_CASE("sums in FP64 stand for FP32 where they are faster") {
  const auto with_fp64 = [](libsgemm_math_mode_t mode, double fp32, double bf16x6, double tf32, double fp64) {
    return chosen(mode, fp32, kNone, bf16x6, tf32, false, fp64);
  };
  CHECK(with_fp64(LIBSGEMM_MATH_FP32, 2, 0.1, 0.1, 1) == "fp64");
  CHECK(with_fp64(LIBSGEMM_MATH_FP32, 1, 0.1, 0.1, 1) == "fp32");
  CHECK(with_fp64(LIBSGEMM_MATH_FP32, 1, 0.1, 0.1, 2) == "fp32");
  CHECK(with_fp64(LIBSGEMM_MATH_BF16X6, 3, 2, 0.1, 1) == "fp64");
  CHECK(with_fp64(LIBSGEMM_MATH_TF32, 3, 2, 4, 1) == "tf32");
  CHECK(with_fp64(LIBSGEMM_MATH_TF32, 3, 2, kNone, 1) == "fp64");
  // FP32 replaces FP64 only for calls without an FP64 kernel.
  CHECK(with_fp64(LIBSGEMM_MATH_FP64, 1, 1, 1, 9) == "fp64");
  CHECK(with_fp64(LIBSGEMM_MATH_FP64, 1, 0.1, 0.1, kNone) == "fp32");
}

TEST_CASE("fp32_fast is the fastest of what keeps the bound of FP32") {
  CHECK(serves(LIBSGEMM_MATH_FP32_FAST, LIBSGEMM_MATH_FP32_FAST));
  CHECK(serves(LIBSGEMM_MATH_FP32, LIBSGEMM_MATH_FP32_FAST));
  CHECK(serves(LIBSGEMM_MATH_FP64, LIBSGEMM_MATH_FP32_FAST));
  CHECK_FALSE(serves(LIBSGEMM_MATH_FP32_FAST, LIBSGEMM_MATH_FP32));
  for (const libsgemm_math_mode_t mode : sgemm_test::kOtherModes) {
    if (mode == LIBSGEMM_MATH_FP64 || mode == LIBSGEMM_MATH_FP32_FAST) continue;
    CHECK_FALSE(serves(mode, LIBSGEMM_MATH_FP32_FAST));
    CHECK_FALSE(serves(LIBSGEMM_MATH_FP32_FAST, mode));
  }
  CHECK_FALSE(serves(LIBSGEMM_MATH_FP32_FAST, LIBSGEMM_MATH_FP64));
  // chosen() has no kernels of the mode itself.
  CHECK(chosen(LIBSGEMM_MATH_FP32_FAST, 2, kNone, 0.1, 0.1, false, 1) == "fp64");
  CHECK(chosen(LIBSGEMM_MATH_FP32_FAST, 1, 2, 0.1, 0.1, true, 3) == "fp32");
}

TEST_CASE("a call by several kernels is reported as the one with the weakest error contract") {
  Kernel fp32 = make_kernel<&g_fp32>("fp32", LIBSGEMM_MATH_FP32),
         fp64 = make_kernel<&g_fp64>("fp64", LIBSGEMM_MATH_FP64);
  Kernel tf32 = make_kernel<&g_tf32>("tf32", LIBSGEMM_MATH_TF32), other = fp32;
  tf32.truncates = true;
  CHECK(promises_less(fp64, nullptr));
  CHECK(promises_less(fp32, &fp64));
  CHECK(promises_less(tf32, &fp32));
  CHECK_FALSE(promises_less(fp64, &fp32));
  CHECK_FALSE(promises_less(fp32, &tf32));
  CHECK_FALSE(promises_less(fp32, &other));
  Kernel fast = make_kernel<&g_fp32>("fp32_fast", LIBSGEMM_MATH_FP32_FAST),
         bf16x6 = make_kernel<&g_bf16x6>("bf16x6", LIBSGEMM_MATH_BF16X6),
         fp16x3 = make_kernel<&g_fp32>("fp16x3", LIBSGEMM_MATH_FP16X3),
         bf16 = make_kernel<&g_tf32>("bf16", LIBSGEMM_MATH_BF16);
  const Kernel *const by_bound[] = {&fp64, &fp32, &fast, &bf16x6, &fp16x3, &bf16, &tf32};  // the last one truncates
  for (const Kernel *const *x = std::begin(by_bound); x != std::end(by_bound); ++x) {
    for (const Kernel *const *y = std::begin(by_bound); y != std::end(by_bound); ++y) {
      INFO((*x)->name << " and " << (*y)->name);
      CHECK(promises_less(**x, *y) == (x > y));
    }
  }
  struct Group {
    const Kernel *kernel;
    bool depth_cut;
  };
  const auto merged = [](const std::vector<Group> &groups) {
    ThreadInfo info = {};
    ThreadInfo::Part least;
    for (const Group &group : groups) {
      info.kernel = group.kernel, info.depth_cut = group.depth_cut;
      info.merge(&least);
    }
    return std::string(info.kernel->name) + " as " +
           (info.arithmetic(*info.kernel).mode == LIBSGEMM_MATH_FP64 ? "fp64" : "");
  };
  CHECK(merged({{&fp64, false}, {&fp64, false}}) == "fp64 as fp64");
  CHECK(merged({{&fp32, false}, {&fp64, false}}) == "fp32 as ");
  CHECK(merged({{&fp64, false}, {&fp32, false}, {&fp64, false}}) == "fp32 as ");
  CHECK(merged({{&tf32, false}, {&fp32, false}, {&fp64, false}}) == "tf32 as ");
  CHECK(merged({{&fp16x3, false}, {&fp32, false}}) == "fp16x3 as ");
  CHECK(merged({{&fp32, false}, {&bf16x6, false}, {&fp64, false}}) == "bf16x6 as ");
  CHECK(merged({{&fp64, true}, {&fp64, false}}) == "fp64 as ");  // C is rounded between parts of the k sum
}

TEST_CASE("a mode with the error of FP32 runs only if it is faster, one with its own rounding always") {
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, 1, 2, 0.5, 0.1) == "bf16x6");
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, 1, 2, 1.5, 0.1) == "fp32");
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, 2, 1, 1.5, 0.1) == "slow_fp32");
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, kNone, kNone, 1.5, 0.1) == "bf16x6");
  CHECK(chosen(LIBSGEMM_MATH_TF32, 1, 2, 0.1, 1.5) == "tf32");
  CHECK(chosen(LIBSGEMM_MATH_BF16X6, 1, 2, 1.5, 0.1, true) == "bf16x6");
}

TEST_CASE("where sums are to be invariant only kernels that are marked run, tuned or not") {
  g_fp32 = 1, g_slow_fp32 = 2, g_fp64 = 0.5;
  Kernel kernels[] = {make_kernel<&g_fp32>("fast", LIBSGEMM_MATH_FP32),
                      make_kernel<&g_slow_fp32>("chain", LIBSGEMM_MATH_FP32),
                      make_kernel<&g_fp64>("fp64", LIBSGEMM_MATH_FP64)};
  static const Kernel *tuned = nullptr;
  tuned = &kernels[0];
  Backend backend = {};
  backend.is_gpu = true;
  backend.kernels = kernels;
  backend.kernel_count = 3;
  GemmDesc desc = {};
  const auto choose = [&](libsgemm_deterministic_t deterministic) {
    desc.deterministic = deterministic;
    const Plan selected = best_plan(backend, desc, 0, SIZE_MAX);
    return std::string(selected.kernel == nullptr ? "none" : selected.kernel->name) + (selected.tuned ? ", tuned" : "");
  };
  CHECK(choose(LIBSGEMM_DETERMINISTIC_ON) == "fp64");
  CHECK(choose(LIBSGEMM_DETERMINISTIC_INVARIANT) == "none");
  kernels[1].invariant = true;
  g_find_tuned_kernel = [](const Backend &, const GemmDesc &, int) { return tuned; };
  desc.m = 1;  // avoids the cached choice
  CHECK(choose(LIBSGEMM_DETERMINISTIC_ON) == "fast, tuned");
  CHECK(choose(LIBSGEMM_DETERMINISTIC_INVARIANT) == "chain");
  CHECK(choose(LIBSGEMM_DETERMINISTIC_ON) == "fast, tuned");
  tuned = &kernels[1];
  desc.m = 2;
  CHECK(choose(LIBSGEMM_DETERMINISTIC_INVARIANT) == "chain, tuned");
  g_find_tuned_kernel = nullptr;
  kernels[2].invariant = true;  // its bits are those of mode FP64 alone
  desc.m = 3;
  CHECK(choose(LIBSGEMM_DETERMINISTIC_INVARIANT) == "chain");
  desc.math_mode = LIBSGEMM_MATH_FP64;
  CHECK(choose(LIBSGEMM_DETERMINISTIC_INVARIANT) == "fp64");
  kernels[2].invariant = false;
  desc.m = 4;
  CHECK(choose(LIBSGEMM_DETERMINISTIC_INVARIANT) == "none");
}

TEST_CASE("a choice is kept for descriptions that are the same in all that kernels may look at") {
  alignas(16) static const float place[8] = {};
  GemmDesc desc = {};
  desc.transa = desc.transb = LIBSGEMM_NO_TRANS;
  desc.side = LIBSGEMM_LEFT, desc.uplo = LIBSGEMM_UPPER, desc.diag = LIBSGEMM_NON_UNIT;
  desc.m = 100, desc.n = 90, desc.k = 80;
  desc.alpha = 1;
  desc.lda = 104, desc.ldb = 108, desc.ldc = 112;
  desc.a = desc.b = place;
  desc.batch_count = 1;
  desc.stride_a = 5, desc.stride_b = 6, desc.stride_c = 7;
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
  CHANGES(deterministic, LIBSGEMM_DETERMINISTIC_ON);
  CHANGES(deterministic, LIBSGEMM_DETERMINISTIC_INVARIANT);
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
  CHECK(!changed([](GemmDesc *d) { d->a = place + 4; }));  // equally aligned
  CHECK(!changed([](GemmDesc *d) { d->a_array = reinterpret_cast<const void *const *>(&place); }));
  CHECK(!changed([](GemmDesc *d) { d->ticket = 7; }));
}

TEST_CASE("kernel table: what the choice of a kernel for a convolution depends on") {
  alignas(kPointerAlignment) static float memory[8];
  ConvDesc desc = {};
  desc.n = 2, desc.c = desc.k = 3, desc.h = desc.w = 5, desc.r = desc.s = 1, desc.p = desc.q = 5, desc.groups = 1;
  desc.x = desc.f = memory;
  desc.y = desc.out = memory;
  const auto changed = [&](auto change) {
    ConvDesc other = desc;
    change(&other);
    return choice_key(other) != choice_key(desc);
  };
#define CHANGES(member, value) CHECK(changed([](ConvDesc *d) { d->member = value; }))
  CHANGES(direction, Conv::weight_gradient);
  CHANGES(math_mode, LIBSGEMM_MATH_TF32);
  CHANGES(deterministic, LIBSGEMM_DETERMINISTIC_INVARIANT);
  CHANGES(n, 3);
  CHANGES(c, 4);
  CHANGES(h, 6);
  CHANGES(w, 6);
  CHANGES(k, 4);
  CHANGES(r, 2);
  CHANGES(s, 2);
  CHANGES(p, 6);
  CHANGES(q, 6);
  CHANGES(groups, 3);
  CHANGES(stride_h, 2);
  CHANGES(stride_w, 2);
  CHANGES(pad_h, 1);
  CHANGES(pad_w, 1);
  CHANGES(dilation_h, 2);
  CHANGES(dilation_w, 2);
  CHANGES(alpha, 2.0f);
  CHANGES(beta, 2.0f);
  CHANGES(x_steps.n, 7);
  CHANGES(f_steps.c, 7);
  CHANGES(y_steps.w, 7);
  CHANGES(x, memory + 1);
  CHANGES(f, memory + 1);
  CHANGES(y, memory + 1);
  CHANGES(out, memory + 1);
#undef CHANGES
  CHECK(!changed([](ConvDesc *d) { d->x = memory + 4; }));
}
