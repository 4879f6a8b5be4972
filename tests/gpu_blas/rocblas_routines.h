// Every function of rocBLAS's level 3 (plugins/rocblas_entries.h): arguments are forwarded unchanged, and libsgemm has
// rocBLAS's results.
#pragma once

#include <random>

#include "gpu_blas_steps.h"
#include "plugins/rocblas_entries.h"

#define DECLARE(FORM, function, name)                    \
  extern "C" int rocblas_##name(FORM##_PARAMETERS(int)); \
  extern "C" int rocblas_##name##_64(FORM##_PARAMETERS(int64_t));
ROCBLAS_ENTRIES(DECLARE)

namespace {

constexpr int kN = LIBSGEMM_NO_TRANS, kT = LIBSGEMM_TRANS;
constexpr int kF16 = 150, kF32 = 151, kF64 = 152, kBf16 = 168;

template <typename F>
F *behind(const char *name) {
  static void *const rocblas = dlopen("librocblas.so.4", RTLD_NOW | RTLD_NOLOAD);
  void *const found = rocblas != nullptr ? dlsym(rocblas, name) : nullptr;
  expect(found != nullptr, name);
  return reinterpret_cast<F *>(found);
}

// Random in the full range of T, so that all arguments differ. Pointers have 56 bits.
template <typename T>
T any_value(std::mt19937_64 *random) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>((*random)() >> 8);
  } else {
    return static_cast<T>((*random)());
  }
}

template <typename... Arguments>
void forward(const char *name, int (*function)(void *, Arguments...), void *handle, std::mt19937_64 *random) {
  const std::tuple<void *, Arguments...> arguments{handle, any_value<Arguments>(random)...};
  const auto latest = behind<std::remove_pointer_t<mock::RocblasLatest>>(mock::kRocblasLatest);
  latest(true);
  expect(std::apply(function, arguments) == kOk, name);
  const std::string arrived = latest(false);
  expect(arrived == std::apply([&](auto... each) { return mock::words(name, each...); }, arguments), arrived.c_str());
}

// With scalars on the device every function is forwarded.
void step_forward() {
  const Work w;
  rocblas_set_pointer_mode(w.handle, 1);
  std::mt19937_64 random(11);
#define FORWARD(FORM, function, name)                           \
  forward("rocblas_" #name, rocblas_##name, w.handle, &random); \
  forward("rocblas_" #name "_64", rocblas_##name##_64, w.handle, &random);
  for (int i = 0; i < 3; ++i) {
    ROCBLAS_ENTRIES(FORWARD)
  }
#undef FORWARD
}

// A, B and C are three matrices each, of small nonzero integers, with unused elements between them.
struct Problem {
  static constexpr int kCount = 3, kStride = 120, kFloats = kCount * kStride;

  Problem() {
    for (float *matrix : {a, b, initial}) {
      std::vector<float> values(kFloats);
      for (float &x : values) x = static_cast<float>((random() % 2 == 0 ? 1 : -1) * static_cast<int>(1 + random() % 3));
      vendor::copy_to(matrix, values.data(), sizeof(float) * kFloats, nullptr);
      vendor::synchronize(nullptr);
    }
    // 1, 2, -1, -2 as FP16; others as bfloat16.
    std::vector<uint16_t> halves(2 * kFloats);
    for (uint16_t &x : halves) x = static_cast<uint16_t>(0x3c00 + 0x400 * (random() % 2) + 0x8000 * (random() % 2));
    vendor::copy_to(half, halves.data(), sizeof(float) * kFloats, nullptr);
    vendor::synchronize(nullptr);
    array_a = array(a), array_b = array(b), array_half = array(half);
  }

  static float **array(float *first) {
    float *pointers[kCount];
    for (int i = 0; i < kCount; ++i) pointers[i] = first + i * kStride;
    float *const memory = device_memory(0, 2 * kCount);
    vendor::copy_to(memory, pointers, sizeof pointers, nullptr);
    vendor::synchronize(nullptr);
    return reinterpret_cast<float **>(memory);
  }

  // Returns C; `call` takes the function, C and its pointers.
  template <typename F, typename Call>
  std::vector<float> result(F *function, const Call &call, const char *name) {
    std::vector<float> values(kFloats);
    vendor::copy_from(values.data(), initial, sizeof(float) * kFloats, nullptr);
    vendor::synchronize(nullptr);
    vendor::copy_to(c, values.data(), sizeof(float) * kFloats, work.stream);
    expect(call(function, c, array_c) == kOk, name);
    vendor::copy_from(values.data(), c, sizeof(float) * kFloats, work.stream);
    vendor::synchronize(work.stream);
    return values;
  }

  template <typename F, typename Call>
  void compare(const char *name, F *ours, const Call &call) {
    const std::vector<float> right = result(behind<F>(name), call, name);
    expect(result(ours, call, name) == right, name);
  }

  std::mt19937_64 random{5};
  Work work;
  void *h = work.handle;
  float *a = device_memory(0, kFloats), *b = device_memory(0, kFloats), *initial = device_memory(0, kFloats);
  float *half = device_memory(0, kFloats), *c = device_memory(0, kFloats);
  float **array_a = nullptr, **array_b = nullptr, **array_half = nullptr, **array_c = array(c);
  float alpha = 2, beta = -1, zero = 0;
};

// Compares libsgemm's function with rocBLAS's, for int and 64-bit sizes. CALL calls `f` with `c` or `array_c`.
#define COMPARE(p, name, CALL)                                                                                    \
  do {                                                                                                            \
    const auto call = [&](auto *f, [[maybe_unused]] float *c, [[maybe_unused]] float **array_c) { return CALL; }; \
    (p).compare("rocblas_" #name, rocblas_##name, call);                                                          \
    (p).compare("rocblas_" #name "_64", rocblas_##name##_64, call);                                               \
  } while (false)

void step_products() {
  Problem p;
  constexpr int s = Problem::kStride, count = Problem::kCount;
  for (int ta = kN; ta <= LIBSGEMM_CONJ_TRANS; ++ta) {
    for (int tb = kN; tb <= LIBSGEMM_CONJ_TRANS; ++tb) {
      COMPARE(p, sgemm, f(p.h, ta, tb, 7, 6, 5, &p.alpha, p.a, 9, p.b, 8, &p.beta, c, 10));
      COMPARE(p, sgemm_strided_batched,
              f(p.h, ta, tb, 7, 6, 5, &p.alpha, p.a, 9, s, p.b, 8, 0, &p.beta, c, 10, s - 9, count));
      COMPARE(p, sgemm_batched,
              f(p.h, ta, tb, 7, 6, 5, &p.alpha, p.array_a, 9, p.array_b, 8, &p.beta, array_c, 10, count));
      COMPARE(p, gemm_ex,
              f(p.h, ta, tb, 7, 6, 5, &p.alpha, p.a, kF32, 9, p.b, kF32, 8, &p.beta, c, kF32, 10, c, kF32, 10, kF32, 0,
                0, 0));
      COMPARE(p, gemm_ex,
              f(p.h, ta, tb, 7, 6, 5, &p.alpha, p.half, kF16, 9, p.half, kF16, 8, &p.zero, p.initial, kF32, 9, c, kF32,
                10, kF32, 0, 0, 0));
      COMPARE(p, gemm_strided_batched_ex,
              f(p.h, ta, tb, 7, 6, 5, &p.alpha, p.half, kBf16, 9, s, p.half, kBf16, 8, 0, &p.beta, c, kF32, 10, s - 9,
                c, kF32, 10, s - 9, count, kF32, 0, 0, 0));
      COMPARE(p, gemm_batched_ex,
              f(p.h, ta, tb, 7, 6, 5, &p.alpha, p.array_half, kF16, 9, p.array_half, kF16, 8, &p.beta, array_c, kF32,
                10, array_c, kF32, 10, count, kF32, 0, 0, 0));
    }
  }
}

void compare_triangles_of_c(Problem *p, int uplo, int trans) {
  constexpr int s = Problem::kStride, count = Problem::kCount;
  COMPARE(*p, ssyrk, f(p->h, uplo, trans, 7, 5, &p->alpha, p->a, 9, &p->beta, c, 10));
  COMPARE(*p, ssyrk_strided_batched, f(p->h, uplo, trans, 7, 5, &p->alpha, p->a, 9, 0, &p->beta, c, 10, s, count));
  COMPARE(*p, ssyr2k, f(p->h, uplo, trans, 7, 5, &p->alpha, p->a, 9, p->b, 8, &p->beta, c, 10));
  COMPARE(*p, ssyrkx, f(p->h, uplo, trans, 7, 5, &p->alpha, p->a, 9, p->b, 8, &p->beta, c, 10));
  for (const int transb : {kN, kT}) {
    COMPARE(*p, sgemmt, f(p->h, uplo, trans, transb, 7, 5, &p->alpha, p->a, 9, p->b, 8, &p->beta, c, 10));
  }
  // Forwarded to rocBLAS.
  COMPARE(*p, ssyrk_batched, f(p->h, uplo, trans, 7, 5, &p->alpha, p->array_a, 9, &p->beta, array_c, 10, count));
  COMPARE(*p, ssyr2k_batched,
          f(p->h, uplo, trans, 7, 5, &p->alpha, p->array_a, 9, p->array_b, 8, &p->beta, array_c, 10, count));
  COMPARE(*p, ssyrkx_strided_batched,
          f(p->h, uplo, trans, 7, 5, &p->alpha, p->a, 9, s, p->b, 8, s, &p->beta, c, 10, s, count));
}

void compare_triangular(Problem *p, int side, int uplo, int trans, int diag) {
  constexpr int s = Problem::kStride, count = Problem::kCount;
  COMPARE(*p, strmm, f(p->h, side, uplo, trans, diag, 7, 6, &p->alpha, p->a, 9, p->b, 8, c, 10));
  COMPARE(*p, strmm, f(p->h, side, uplo, trans, diag, 7, 6, &p->alpha, p->a, 9, c, 10, c, 10));
  COMPARE(*p, strmm_strided_batched,
          f(p->h, side, uplo, trans, diag, 7, 6, &p->alpha, p->a, 9, 0, c, 10, s, c, 10, s, count));
  COMPARE(*p, strsm, f(p->h, side, uplo, trans, diag, 7, 6, &p->alpha, p->a, 9, c, 10));
  COMPARE(*p, strsm_strided_batched, f(p->h, side, uplo, trans, diag, 7, 6, &p->alpha, p->a, 9, 0, c, 10, s, count));
  COMPARE(*p, strmm_strided_batched,
          f(p->h, side, uplo, trans, diag, 7, 6, &p->alpha, p->a, 9, s, p->b, 8, s, c, 10, s, count));
  COMPARE(*p, strsm_batched, f(p->h, side, uplo, trans, diag, 7, 6, &p->alpha, p->array_a, 9, array_c, 10, count));
}

void step_level3() {
  Problem p;
  for (const int uplo : {LIBSGEMM_UPPER, LIBSGEMM_LOWER}) {
    for (const int trans : {kN, kT}) compare_triangles_of_c(&p, uplo, trans);
    for (const int side : {LIBSGEMM_LEFT, LIBSGEMM_RIGHT}) {
      COMPARE(p, ssymm, f(p.h, side, uplo, 7, 6, &p.alpha, p.a, 9, p.b, 8, &p.beta, c, 10));
      for (const int trans : {kN, kT}) {
        for (const int diag : {LIBSGEMM_NON_UNIT, LIBSGEMM_UNIT}) compare_triangular(&p, side, uplo, trans, diag);
      }
    }
  }
}

}  // namespace
