// Micro-kernels on Google Highway, compiled for each kind of CPU, of which the best is chosen at run time.
//
//   x: 3 vectors of rows    [ c00 c01 ... ]   y: 8 columns, or 4 on CPUs with 16 registers
//                           [ c10 c11 ... ]   24 (12) sums stay in registers while terms are added, one vector of x
//                           [ c20 c21 ... ]   times one number of y at a time
//
// A vector lies along rows of C, so each element is one chain. Scalable vectors cannot be in arrays, hence the macros.
#include "steps.h"

#include "contract/finish.h"

// Kinds that add nothing to the one before.
#define HWY_DISABLED_TARGETS (HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "steps.cpp"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/cache_control.h"
#include "hwy/highway.h"

#undef LIBSGEMM_COLUMNS
#undef LIBSGEMM_COLUMN_COUNT
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
#define LIBSGEMM_COLUMN_COUNT 4
#define LIBSGEMM_COLUMNS(X) X(0) X(1) X(2) X(3)
#else
#define LIBSGEMM_COLUMN_COUNT 8
#define LIBSGEMM_COLUMNS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#endif

HWY_BEFORE_NAMESPACE();
namespace libsgemm {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

Cpu describe() { return {}; }

#else

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kVectors = 3;
constexpr int kColumns = LIBSGEMM_COLUMN_COUNT;

template <typename Real>
using Tag = hn::ScalableTag<Real>;

template <typename Real>
int rows_of_sum() {
  return kVectors * static_cast<int>(hn::Lanes(Tag<Real>()));
}

template <typename Real>
void chains(const Chains<Real> &c) {
  const Tag<Real> d;
  const size_t lanes = hn::Lanes(d), rows = kVectors * lanes;
  const Real *HWY_RESTRICT x = c.x;
  const Real *HWY_RESTRICT y = c.y;
#define DECLARE(j) auto c0##j = hn::Zero(d), c1##j = c0##j, c2##j = c0##j;
#define LOAD(j)                                   \
  c0##j = hn::Load(d, c.from + j * rows);         \
  c1##j = hn::Load(d, c.from + j * rows + lanes); \
  c2##j = hn::Load(d, c.from + j * rows + 2 * lanes);
#define STEP(j)                            \
  {                                        \
    const auto factor = hn::Set(d, y[j]);  \
    c0##j = hn::MulAdd(x0, factor, c0##j); \
    c1##j = hn::MulAdd(x1, factor, c1##j); \
    c2##j = hn::MulAdd(x2, factor, c2##j); \
  }
#define ADD(j)                                                  \
  c0##j = hn::Add(hn::Load(d, c.to + j * rows), c0##j);         \
  c1##j = hn::Add(hn::Load(d, c.to + j * rows + lanes), c1##j); \
  c2##j = hn::Add(hn::Load(d, c.to + j * rows + 2 * lanes), c2##j);
#define STORE(j)                                \
  hn::Store(c0##j, d, c.to + j * rows);         \
  hn::Store(c1##j, d, c.to + j * rows + lanes); \
  hn::Store(c2##j, d, c.to + j * rows + 2 * lanes);
  const Real *const next = c.to + kColumns * rows;
  LIBSGEMM_COLUMNS(DECLARE)
  if (c.from != nullptr) {
    LIBSGEMM_COLUMNS(LOAD)
  }
  for (int64_t l = 0; l < c.terms; ++l, x += rows, y += kColumns) {
    hwy::Prefetch(next + (l < kVectors * kColumns ? l : 0) * lanes);
    hwy::Prefetch(x + 8 * rows);
    hwy::Prefetch(x + 8 * rows + lanes);
    hwy::Prefetch(x + 8 * rows + 2 * lanes);
    const auto x0 = hn::Load(d, x), x1 = hn::Load(d, x + lanes), x2 = hn::Load(d, x + 2 * lanes);
    LIBSGEMM_COLUMNS(STEP)
  }
  if (c.add) {
    LIBSGEMM_COLUMNS(ADD)
  }
  LIBSGEMM_COLUMNS(STORE)
#undef DECLARE
#undef LOAD
#undef STEP
#undef ADD
#undef STORE
}

template <typename Real>
void crossing_chains(const Chains<Real> &c, int64_t first, bool upper) {
  const Tag<Real> d;
  const size_t lanes = hn::Lanes(d), rows = kVectors * lanes, size = rows * kColumns;
  HWY_ALIGN Real sum[kVectors * kColumns * hn::MaxLanes(d)];
  for (size_t i = 0; i < size; i += lanes) {
    hn::Store(c.from != nullptr ? hn::Load(d, c.from + i) : hn::Zero(d), d, sum + i);
  }
  for (int64_t l = 0; l < c.terms; ++l) {
    const auto diagonal = hn::Set(d, static_cast<Real>(first + l));
    for (size_t i = 0; i < rows; i += lanes) {
      const auto row = hn::Iota(d, static_cast<Real>(i));
      const auto takes_part = upper ? hn::Le(row, diagonal) : hn::Ge(row, diagonal);
      const auto factor = hn::Load(d, c.x + l * rows + i);
      for (size_t j = 0; j < kColumns; ++j) {
        Real *const at = sum + j * rows + i;
        const auto before = hn::Load(d, at);
        const auto after = hn::MulAdd(factor, hn::Set(d, c.y[l * kColumns + j]), before);
        hn::Store(hn::IfThenElse(takes_part, after, before), d, at);
      }
    }
  }
  for (size_t i = 0; i < size; i += lanes) {
    const auto s = hn::Load(d, sum + i);
    hn::Store(c.add ? hn::Add(hn::Load(d, c.to + i), s) : s, d, c.to + i);
  }
}

HWY_INLINE float finish(float alpha, float sum) { return scaled(alpha, sum); }
HWY_INLINE float finish(float alpha, float sum, float beta, float c) {
  return accumulated(scaled(alpha, sum), beta, c);
}
HWY_INLINE float finish(float alpha, double sum) { return finished(alpha, sum); }
HWY_INLINE float finish(float alpha, double sum, float beta, float c) { return finished(alpha, sum, beta, c); }

// Element (i, j) of the sum is sum[i * row + j * column].
template <typename Real>
HWY_INLINE void write_columns(const Output &out, Span rows, Span columns, float alpha, float beta, const Real *sum,
                              int64_t row, int64_t column) {
  for (int64_t j = columns.first; j < columns.last; ++j) {
    const int64_t first = HWY_MAX(rows.first, out.first_row(j)), last = HWY_MIN(rows.last, out.last_row(j, rows.last));
    const Real *HWY_RESTRICT s = sum + (j - columns.first) * column - rows.first * row;
    float *HWY_RESTRICT c = out.data + j * out.col_step;
    if (beta == 0.0f) {
      for (int64_t i = first; i < last; ++i) c[i] = finish(alpha, s[i * row]);
    } else {
      for (int64_t i = first; i < last; ++i) c[i] = finish(alpha, s[i * row], beta, c[i]);
    }
  }
}

template <typename Real>
void write(const Output &out, Span rows, Span columns, float alpha, float beta, const Real *sum) {
  const int64_t height = rows_of_sum<Real>();
  if (out.row_step == 1) {
    write_columns(out, rows, columns, alpha, beta, sum, 1, height);
  } else {
    write_columns(out.transposed(), columns, rows, alpha, beta, sum, height, 1);
  }
}

// Loads floats as numbers of `d`.
template <class D>
HWY_INLINE hn::Vec<D> load_as(D d, const float *from) {
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
  }
}

template <class D, typename Real>
HWY_INLINE void copy(D d, const float *HWY_RESTRICT from, int64_t count, Real *HWY_RESTRICT to) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < count; i += lanes) hn::StoreU(load_as(d, from + i), d, to + i);
}

// Calls run(i, count, out) for each panel: its first row, the number of its rows, and its place.
template <typename Real, class Run>
HWY_INLINE void for_panels(int64_t rows, int64_t width, int64_t distance, Real *out, const Run &run) {
  for (int64_t i = 0; i < rows; i += width, out += distance) run(i, HWY_MIN(width, rows - i), out);
}

// The lanes of `d` divide the width.
template <class D, typename Real>
HWY_INLINE void pack_rows(D d, int64_t width, const float *data, int64_t step, int64_t rows, int64_t terms,
                          int64_t distance, Real *out) {
  for (int64_t l = 0; l < terms; ++l, data += step, out += width) {
    for_panels(rows, width, distance, out, [&](int64_t i, int64_t count, Real *to) HWY_ATTR {
      if (count == width) return copy(d, data + i, width, to);
      for (int64_t r = 0; r < width; ++r) to[r] = data[i + HWY_MIN(r, count - 1)];
    });
  }
}

// Four terms of four rows, of which to[row] and the numbers after it are one term.
template <typename Real>
HWY_INLINE void transpose(const float *const *row, int64_t term, int64_t width, Real *to) {
  const hn::FixedTag<float, 4> four;
  const hn::CappedTag<Real, 4> d;
  const auto a = hn::LoadU(four, row[0] + term), b = hn::LoadU(four, row[1] + term);
  const auto c = hn::LoadU(four, row[2] + term), e = hn::LoadU(four, row[3] + term);
  const auto ac = hn::InterleaveLower(four, a, c), be = hn::InterleaveLower(four, b, e);
  const auto ac2 = hn::InterleaveUpper(four, a, c), be2 = hn::InterleaveUpper(four, b, e);
  HWY_ALIGN float turned[16];
  hn::Store(hn::InterleaveLower(four, ac, be), four, turned);
  hn::Store(hn::InterleaveUpper(four, ac, be), four, turned + 4);
  hn::Store(hn::InterleaveLower(four, ac2, be2), four, turned + 8);
  hn::Store(hn::InterleaveUpper(four, ac2, be2), four, turned + 12);
  for (int64_t i = 0; i < 4; ++i) copy(d, turned + 4 * i, 4, to + i * width);
}

template <typename Real>
HWY_INLINE void pack_terms(int64_t width, const float *data, int64_t step, int64_t rows, int64_t terms,
                           int64_t distance, Real *out) {
  for_panels(rows, width, distance, out, [&](int64_t i, int64_t count, Real *to) HWY_ATTR {
    for (int64_t r = 0; r < width; r += 4) {
      const int64_t some = HWY_MIN(4, width - r), fours = some == 4 ? terms / 4 * 4 : 0;
      const float *row[4];
      for (int64_t n = 0; n < some; ++n) row[n] = data + (i + HWY_MIN(r + n, count - 1)) * step;
      for (int64_t l = 0; l < fours; l += 4) transpose(row, l, width, to + l * width + r);
      for (int64_t l = fours; l < terms; ++l) {
        for (int64_t n = 0; n < some; ++n) to[l * width + r + n] = row[n][l];
      }
    }
  });
}

template <typename Real>
void pack_x_rows(const float *data, int64_t step, int64_t rows, int64_t terms, int64_t distance, Real *out) {
  pack_rows(Tag<Real>(), rows_of_sum<Real>(), data, step, rows, terms, distance, out);
}
template <typename Real>
void pack_x_terms(const float *data, int64_t step, int64_t rows, int64_t terms, int64_t distance, Real *out) {
  pack_terms(rows_of_sum<Real>(), data, step, rows, terms, distance, out);
}
template <typename Real>
void pack_y_rows(const float *data, int64_t step, int64_t rows, int64_t terms, int64_t distance, Real *out) {
  pack_rows(hn::CappedTag<Real, kColumns>(), kColumns, data, step, rows, terms, distance, out);
}
template <typename Real>
void pack_y_terms(const float *data, int64_t step, int64_t rows, int64_t terms, int64_t distance, Real *out) {
  pack_terms(kColumns, data, step, rows, terms, distance, out);
}

void widen(Type type, const uint16_t *from, int64_t count, float *to) {
  if (type == Type::bf16) {
    for (int64_t i = 0; i < count; ++i) to[i] = bf16_to_float(from[i]);
    return;
  }
  int64_t i = 0;
#if !HWY_ARCH_X86 || HWY_TARGET <= HWY_AVX2  // an instruction, exact for all numbers
  const Tag<float> d;
  const hn::Rebind<hwy::float16_t, Tag<float>> halves;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(halves, reinterpret_cast<const hwy::float16_t *>(from) + i)), d, to + i);
  }
#endif
  for (; i < count; ++i) to[i] = f16_to_float(from[i]);
}

constexpr const char *unit() {
#if HWY_ARCH_X86
  return HWY_TARGET <= HWY_AVX3 ? "avx512" : HWY_TARGET <= HWY_AVX2 ? "avx2" : "sse";
#elif HWY_TARGET == HWY_NEON
  return "neon";
#else
  return "sve";
#endif
}

template <typename Real>
CpuSteps<Real> steps() {
  return {{rows_of_sum<Real>(), pack_x_rows<Real>, pack_x_terms<Real>},
          {kColumns, pack_y_rows<Real>, pack_y_terms<Real>},
          chains<Real>,
          crossing_chains<Real>,
          write<Real>};
}

Cpu describe() { return {unit(), !HWY_ARCH_X86 || HWY_TARGET <= HWY_AVX2, steps<float>(), steps<double>(), widen}; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace libsgemm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libsgemm {

HWY_EXPORT(describe);

const Cpu &this_cpu() {
  static const Cpu cpu = HWY_DYNAMIC_DISPATCH(describe)();
  return cpu;
}

}  // namespace libsgemm
#endif
