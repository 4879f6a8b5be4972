// Sequential FMAs: vectors along m and n, never along k. Each step is compiled for each kind of CPU with an fmaf()
// instruction; without one the C library computes the same bits, far slower.
#include <algorithm>

#include "contract/finish.h"
#include "packed.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace libsgemm {
namespace {

LIBSGEMM_ALWAYS_INLINE void add_crossed(const Product &p, const Tile &t, Span terms, float *sum) {
  for (int64_t j = t.j0; j < t.j1; ++j) {
    for (int64_t i = t.i0; i < t.i1; ++i) {
      const Span span = p.span(i, j);
      float s = sum[(i - t.i0) + (j - t.j0) * kMc];
      for (int64_t l = std::max(terms.first, span.first); l < std::min(terms.last, span.last); ++l) {
        s = fmaf(p.x.at(i, l), p.y.at(l, j), s);
      }
      sum[(i - t.i0) + (j - t.j0) * kMc] = s;
    }
  }
}

LIBSGEMM_ALWAYS_INLINE void write_tile(const Output &out, const Tile &t, float alpha, float beta, const float *sums) {
  for (int64_t j = t.j0; j < t.j1; ++j) {
    const float *sum = sums + (j - t.j0) * kMc - t.i0;
    const int64_t last = std::min(t.i1, out.last_row(j, t.i1));
    for (int64_t i = std::max(t.i0, out.first_row(j)); i < last; ++i) {
      float *c = out.at(i, j);
      const float x = scaled(alpha, sum[i]);
      *c = beta == 0.0f ? x : accumulated(x, beta, *c);
    }
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute has none.
#define STEPS(kind, target)                                                                                            \
  target void cross_##kind(const Product &p, const Tile &t, Span terms, float *sum) { add_crossed(p, t, terms, sum); } \
  target void write_##kind(const Output &out, const Tile &t, float alpha, float beta, const float *sum) {              \
    write_tile(out, t, alpha, beta, sum);                                                                              \
  }                                                                                                                    \
  target void solve_##kind(const Triangle &s, float alpha, float *scratch) { solve_columns<float>(s, alpha, scratch); }
// NOLINTEND(bugprone-macro-parentheses)

STEPS(scalar, )

void micro_scalar(int64_t k, const float *x, const float *y, float *sum) {
  constexpr int kRows = 8, kColumns = 4;
  float c[kColumns][kRows];
  for (int j = 0; j < kColumns; ++j) std::copy_n(sum + j * kMc, kRows, c[j]);
  for (int64_t p = 0; p < k; ++p, x += kRows, y += kColumns) {
    for (int j = 0; j < kColumns; ++j) {
      for (int i = 0; i < kRows; ++i) c[j][i] = fmaf(x[i], y[j], c[j][i]);
    }
  }
  for (int j = 0; j < kColumns; ++j) std::copy_n(c[j], kRows, sum + j * kMc);
}

bool anywhere() { return true; }

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx2,fma")))

STEPS(avx2, AVX2)

AVX2 void micro_avx2(int64_t k, const float *x, const float *y, float *sum) {
  constexpr int kColumns = 6;
  __m256 c[kColumns][2];
#pragma GCC unroll 12
  for (int j = 0; j < kColumns; ++j) {
    c[j][0] = _mm256_load_ps(sum + j * kMc);
    c[j][1] = _mm256_load_ps(sum + j * kMc + 8);
  }
  for (int64_t p = 0; p < k; ++p, x += 16, y += kColumns) {
    const __m256 low = _mm256_load_ps(x), high = _mm256_load_ps(x + 8);
#pragma GCC unroll 12
    for (int j = 0; j < kColumns; ++j) {
      const __m256 factor = _mm256_broadcast_ss(y + j);
      c[j][0] = _mm256_fmadd_ps(low, factor, c[j][0]);
      c[j][1] = _mm256_fmadd_ps(high, factor, c[j][1]);
    }
  }
#pragma GCC unroll 12
  for (int j = 0; j < kColumns; ++j) {
    _mm256_store_ps(sum + j * kMc, c[j][0]);
    _mm256_store_ps(sum + j * kMc + 8, c[j][1]);
  }
}

bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

STEPS(avx512, AVX512)

AVX512 void micro_avx512(int64_t k, const float *x, const float *y, float *sum) {
  constexpr int kColumns = 12;
  __m512 c[kColumns][2];
#pragma GCC unroll 12
  for (int j = 0; j < kColumns; ++j) {
    c[j][0] = _mm512_load_ps(sum + j * kMc);
    c[j][1] = _mm512_load_ps(sum + j * kMc + 16);
  }
  for (int64_t p = 0; p < k; ++p, x += 32, y += kColumns) {
    const __m512 low = _mm512_load_ps(x), high = _mm512_load_ps(x + 16);
#pragma GCC unroll 12
    for (int j = 0; j < kColumns; ++j) {
      const __m512 factor = _mm512_set1_ps(y[j]);
      c[j][0] = _mm512_fmadd_ps(low, factor, c[j][0]);
      c[j][1] = _mm512_fmadd_ps(high, factor, c[j][1]);
    }
  }
#pragma GCC unroll 12
  for (int j = 0; j < kColumns; ++j) {
    _mm512_store_ps(sum + j * kMc, c[j][0]);
    _mm512_store_ps(sum + j * kMc + 16, c[j][1]);
  }
}

bool has_avx512() { return has_avx2() && __builtin_cpu_supports("avx512f"); }
#else
bool nowhere() { return false; }
#endif

}  // namespace

const Chain kChain[kChains] = {
#if defined(__x86_64__)
    {has_avx512, micro_avx512, 32, 12, cross_avx512, write_avx512, solve_avx512},
    {has_avx2, micro_avx2, 16, 6, cross_avx2, write_avx2, solve_avx2},
#else
    {nowhere, micro_scalar, 8, 4, cross_scalar, write_scalar, solve_scalar},
    {nowhere, micro_scalar, 8, 4, cross_scalar, write_scalar, solve_scalar},
#endif
    {anywhere, micro_scalar, 8, 4, cross_scalar, write_scalar, solve_scalar},
};

}  // namespace libsgemm
