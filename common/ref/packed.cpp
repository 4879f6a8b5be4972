// Kernels on packed, cache-blocked tiles. The `chain` kernels sum by sequential FMAs over all of k (chain.cpp), the
// _fp64 ones by chains of kChainTerms doubles (contract/finish.h). The others start a new sum for each block of k,
// which rounds less.
//
// A tile of C is summed over all of k in a buffer and written once: an element's sum does not depend on m or n, C is
// read at most once, and trmm works in place if it visits tiles in the right order.
//
//        k = 256 at a time            tile of C, 128 x 96
//       +-------+  packed y          +--------------------+
//       |       |  panels of NR      |  MR x NR registers |   scratch of a thread, in floats:
//       +-------+                    |  a micro-kernel    |   x 128 * 256 | y 256 * 96 | sum 128 * 96
//   packed x, panels of MR           +--------------------+   = 128 + 96 + 48 KiB, within L2; doubles need twice that,
//                                                           and a buffer for the sums of earlier chains
//
// Packing reads operands through their views. Blocks on a triangle's diagonal are summed unpacked, over nonzero terms
// only: 0 * Inf would be NaN. Blocking: Goto and van de Geijn, ACM TOMS 34 (2008).
#include <algorithm>
#include <type_traits>

#include "contract/finish.h"
#include "matrix/scratch.h"
#include "packed.h"
#include "ref.h"

namespace libsgemm {
namespace {

constexpr int64_t kSolveRows = 64;  // order of triangles that trsm solves unpacked

// V: a vector of MR / VECTORS numbers. `sum` has kMc rows.
template <typename V, int VECTORS, int NR, typename Real>
__attribute__((always_inline)) inline void micro(int64_t k, const Real *x, const Real *y, Real *sum) {
  constexpr int kLanes = sizeof(V) / sizeof(Real);
  V c[NR][VECTORS] = {};
  if constexpr (kInChains<Real>) {
    for (int j = 0; j < NR; ++j) {
      for (int v = 0; v < VECTORS; ++v) c[j][v] = reinterpret_cast<const V *>(sum + j * kMc)[v];
    }
  }
  for (int64_t p = 0; p < k; ++p) {
    const V *xv = reinterpret_cast<const V *>(x + p * VECTORS * kLanes);
    const Real *yp = y + p * NR;
    for (int j = 0; j < NR; ++j) {
      for (int v = 0; v < VECTORS; ++v) c[j][v] += xv[v] * yp[j];
    }
  }
  for (int j = 0; j < NR; ++j) {
    V *column = reinterpret_cast<V *>(sum + j * kMc);
    for (int v = 0; v < VECTORS; ++v) column[v] = kInChains<Real> ? c[j][v] : column[v] + c[j][v];
  }
}

typedef float Vector4 __attribute__((vector_size(16), may_alias));
typedef float Vector8 __attribute__((vector_size(32), may_alias));
typedef double Double2 __attribute__((vector_size(16), may_alias));
typedef double Double4 __attribute__((vector_size(32), may_alias));

void micro_8x4(int64_t k, const float *x, const float *y, float *sum) { micro<Vector4, 2, 4>(k, x, y, sum); }
void micro_4x4(int64_t k, const double *x, const double *y, double *sum) { micro<Double2, 2, 4>(k, x, y, sum); }

#if defined(__x86_64__)
__attribute__((target("avx2,fma")))
#endif
void micro_16x6(int64_t k, const float *x, const float *y, float *sum) {
  micro<Vector8, 2, 6>(k, x, y, sum);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma")))
#endif
void micro_8x6(int64_t k, const double *x, const double *y, double *sum) {
  micro<Double4, 2, 6>(k, x, y, sum);
}

template <float (*ROUND)(float)>
void round_all(float *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) values[i] = ROUND(values[i]);
}

void round_all(double *, int64_t, libsgemm_math_mode_t) {}
void round_all(float *values, int64_t count, libsgemm_math_mode_t mode) {
  if (mode == LIBSGEMM_MATH_TF32) round_all<round_to_tf32>(values, count);
  if (mode == LIBSGEMM_MATH_BF16) round_all<round_to_bf16>(values, count);
  if (mode == LIBSGEMM_MATH_FP16) round_all<round_to_f16>(values, count);
}

// Packs rows [i0, i1) of columns [p0, p1) as panels of `width` rows. Copies of the last row fill the last panel: they
// raise no new floating-point flag.
template <typename Real>
void pack(const View &view, int64_t i0, int64_t i1, int64_t p0, int64_t p1, int width, Real *panel) {
  const bool floats = view.structure == View::general && view.type == Type::f32;
  Real *const begin = panel;
  const float *data = static_cast<const float *>(view.data);
  for (int64_t i = i0; i < i1; i += width) {
    const int64_t rows = std::min<int64_t>(width, i1 - i);
    for (int64_t p = p0; p < p1; ++p, panel += width) {
      int64_t r = 0;
      if (floats) {
        const float *column = data + i * view.row_step + p * view.col_step;
        for (; r < rows; ++r) panel[r] = column[r * view.row_step];
      } else {
        for (; r < rows; ++r) panel[r] = view.at(i + r, p);
      }
      for (; r < width; ++r) panel[r] = panel[rows - 1];
    }
  }
  if (floats) round_all(begin, panel - begin, view.mode);  // all at once, for vector instructions
}

template <typename Real>
class Packed {
 public:
  Packed(Micro<Real> micro, int mr, int nr, const Chain *chain, libsgemm_math_mode_t mode, Real *scratch)
      : micro_(micro),
        mr_(mr),
        nr_(nr),
        chain_(chain),
        mode_(mode),
        x_(scratch),
        y_(x_ + kMc * kKc),
        sum_(y_ + kKc * kNc),
        total_(sum_ + kMc * kNc) {}

  static constexpr size_t kScratch =
      (kMc * kKc + kKc * kNc + (kInChains<Real> ? 2 : 1) * kMc * kNc) * sizeof(Real) / sizeof(float);

  void run(const GemmDesc &desc) {
    if (desc.routine == Routine::trsm) {
      solve(triangle(desc), desc.alpha);
      return;
    }
    multiply(products(desc, desc.c, desc.ldc, mode_), desc.alpha, desc.beta);
  }

 private:
  // trmm in place: an upper x reads rows from i0 on, an upper y columns before j1, lower ones the reverse. Tiles are
  // visited before these are overwritten.
  void multiply(const Products &p, float alpha, float beta) {
    const int64_t m = p.term[0].m, n = p.term[0].n;
    const int64_t row_tiles = (m + kMc - 1) / kMc, col_tiles = (n + kNc - 1) / kNc;
    const bool up = p.term[0].x.structure == View::triangular && !p.term[0].x.upper;
    const bool back = p.term[0].y.structure == View::triangular && p.term[0].y.upper;
    for (int64_t tj = 0; tj < col_tiles; ++tj) {
      for (int64_t ti = 0; ti < row_tiles; ++ti) {
        const int64_t i0 = (up ? row_tiles - 1 - ti : ti) * kMc, j0 = (back ? col_tiles - 1 - tj : tj) * kNc;
        const Tile tile = {i0, std::min(m, i0 + kMc), j0, std::min(n, j0 + kNc)};
        if (p.out.part == Output::upper && tile.i0 >= tile.j1) continue;
        if (p.out.part == Output::lower && tile.i1 <= tile.j0) continue;
        std::fill(sum_, sum_ + numbers_of(tile), Real{0});
        if constexpr (kInChains<Real>) std::fill(total_, total_ + numbers_of(tile), Real{0});
        for (int t = 0; t < p.count; ++t) {
          add(p.term[t], tile);
          end_chain(tile);
        }
        write(p.out, tile, alpha, beta);
      }
    }
  }

  // Numbers that a tile's sums take in the buffer.
  int64_t numbers_of(const Tile &t) const { return kMc * ((t.j1 - t.j0 + nr_ - 1) / nr_ * nr_); }

  void end_chain(const Tile &t) {
    if constexpr (kInChains<Real>) {
      const int64_t size = numbers_of(t);
      for (int64_t i = 0; i < size; ++i) total_[i] += sum_[i];
      std::fill(sum_, sum_ + size, Real{0});
    }
  }

  // Calls run() for the parts of `terms` that are in one chain each.
  template <class Run>
  void for_chains(const Tile &t, Span terms, const Run &run) {
    if (!kInChains<Real>) return run(terms);
    while (terms.first < terms.last) {
      const int64_t end = (terms.first / kChainTerms + 1) * kChainTerms;
      run(Span{terms.first, std::min(terms.last, end)});
      if (end <= terms.last) end_chain(t);
      terms.first = end;
    }
  }

  void add(const Product &p, const Tile &t) {
    if (p.x.structure == View::triangular) {
      add_triangle(p, t, {t.i0, t.i1}, !p.x.upper);
    } else if (p.y.structure == View::triangular) {
      add_triangle(p, t, {t.j0, t.j1}, p.y.upper);
    } else {
      add_panels(p, t, {0, p.k});
    }
  }

  void add_triangle(const Product &p, const Tile &t, Span crossed, bool crossed_last) {
    if (crossed_last) add_panels(p, t, {0, crossed.first});
    cross(p, t, crossed);
    if (!crossed_last) add_panels(p, t, {crossed.last, p.k});
  }

  void add_panels(const Product &p, const Tile &t, Span terms) {
    for_chains(t, terms, [&](Span chain) { add_chain(p, t, chain); });
  }

  void add_chain(const Product &p, const Tile &t, Span terms) {
    const View y = p.y.transposed();
    for (int64_t p0 = terms.first; p0 < terms.last; p0 += kKc) {
      const int64_t p1 = std::min(terms.last, p0 + kKc), depth = p1 - p0;
      pack(p.x, t.i0, t.i1, p0, p1, mr_, x_);
      pack(y, t.j0, t.j1, p0, p1, nr_, y_);
      for (int64_t j = 0; j < t.j1 - t.j0; j += nr_) {
        for (int64_t i = 0; i < t.i1 - t.i0; i += mr_) {
          micro_(depth, x_ + i * depth, y_ + j * depth, sum_ + i + j * kMc);
        }
      }
    }
  }

  void cross(const Product &p, const Tile &t, Span terms) {
    if constexpr (std::is_same_v<Real, float>) {
      if (chain_ != nullptr) return chain_->cross(p, t, terms, sum_);
    }
    for_chains(t, terms, [&](Span chain) { cross_chain(p, t, chain); });
  }

  void cross_chain(const Product &p, const Tile &t, Span terms) {
    for (int64_t j = t.j0; j < t.j1; ++j) {
      for (int64_t i = t.i0; i < t.i1; ++i) {
        const Span span = p.span(i, j);
        Real &sum = sum_[(i - t.i0) + (j - t.j0) * kMc];
        Real s = kInChains<Real> ? sum : 0;
        for (int64_t l = std::max(terms.first, span.first); l < std::min(terms.last, span.last); ++l) {
          s += static_cast<Real>(p.x.at(i, l)) * static_cast<Real>(p.y.at(l, j));
        }
        sum = kInChains<Real> ? s : sum + s;
      }
    }
  }

  void write(const Output &out, const Tile &t, float alpha, float beta) {
    if constexpr (std::is_same_v<Real, float>) {
      if (chain_ != nullptr) return chain_->write(out, t, alpha, beta, sum_);
    }
    for (int64_t j = t.j0; j < t.j1; ++j) {
      const Real *sum = (kInChains<Real> ? total_ : sum_) + (j - t.j0) * kMc - t.i0;
      const int64_t last = std::min(t.i1, out.last_row(j, t.i1));
      for (int64_t i = std::max(t.i0, out.first_row(j)); i < last; ++i) {
        float *c = out.at(i, j);
        if constexpr (kInChains<Real>) {
          *c = beta == 0 ? finished(alpha, sum[i]) : finished(alpha, sum[i], beta, *c);
        } else {
          *c = beta == 0 ? alpha * sum[i] : alpha * sum[i] + beta * *c;
        }
      }
    }
  }

  void solve(const Triangle &s, float alpha) {
    const int64_t blocks = (s.order + kSolveRows - 1) / kSolveRows;
    for (int64_t step = 0; step < blocks; ++step) {
      const int64_t first = (s.t.upper ? blocks - 1 - step : step) * kSolveRows;
      const int64_t last = std::min(s.order, first + kSolveRows);
      if (step == 0) {
        substitute(s, first, last, alpha);
        continue;
      }
      const int64_t from = s.t.upper ? last : 0, count = s.t.upper ? s.order - last : first;
      View t = s.t.block(first, from);
      t.structure = View::general;
      const View x = {s.x.at(from, 0), s.x.row_step, s.x.col_step, Type::f32, View::general, false, false};
      const Output out = {s.x.at(first, 0), s.x.row_step, s.x.col_step, Output::all};
      multiply({1, {{t, x, last - first, s.count, count}, {}}, out}, -1.0f, alpha);
      substitute(s, first, last, 1.0f);
    }
  }

  Micro<Real> micro_;
  int mr_, nr_;
  const Chain *chain_;
  libsgemm_math_mode_t mode_;
  Real *x_, *y_, *sum_;
  Real *total_;  // doubles: sums of the chains that have ended
};

template <typename Run>
libsgemm_status_t for_items(const GemmDesc &desc, size_t floats, Error *error, const Run &run) {
  float *scratch = thread_scratch(floats);
  if (scratch == nullptr) {
    const bool solves = desc.routine == Routine::trsm;
    set_error(error, solves ? "no host memory for columns of X" : "no host memory to pack operands in");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  for (int64_t i = 0; i < desc.batch_count; ++i) run(desc.batch == Batch::none ? desc : batch_item(desc, i), scratch);
  return LIBSGEMM_SUCCESS;
}

template <typename Real>
libsgemm_status_t run(const GemmDesc &desc, Micro<Real> micro, int mr, int nr, libsgemm_math_mode_t mode,
                      Error *error) {
  return for_items(desc, Packed<Real>::kScratch, error, [&](const GemmDesc &item, float *scratch) {
    Packed<Real>(micro, mr, nr, nullptr, mode, reinterpret_cast<Real *>(scratch)).run(item);
  });
}

libsgemm_status_t run_fp64(const GemmDesc &desc, Micro<double> micro, int mr, int nr, Error *error) {
  if (desc.routine != Routine::trsm) return run<double>(desc, micro, mr, nr, LIBSGEMM_MATH_FP64, error);
  return for_items(desc, static_cast<size_t>(kSolveColumns * desc.k), error, [](const GemmDesc &item, float *known) {
    solve_columns<double>(triangle(item), item.alpha, known);
  });
}

}  // namespace

bool prepare_ref() { return thread_scratch(Packed<double>::kScratch) != nullptr; }

template <libsgemm_math_mode_t MODE>
libsgemm_status_t cpu_sse2_8x4x256_packed(const GemmDesc &desc, const Launch &, Error *error) {
  return run<float>(desc, micro_8x4, 8, 4, MODE, error);
}

template <libsgemm_math_mode_t MODE>
libsgemm_status_t cpu_avx2_16x6x256_packed(const GemmDesc &desc, const Launch &, Error *error) {
  return run<float>(desc, micro_16x6, 16, 6, MODE, error);
}

libsgemm_status_t cpu_sse2_4x4x256_packed_fp64(const GemmDesc &desc, const Launch &, Error *error) {
  return run_fp64(desc, micro_4x4, 4, 4, error);
}

libsgemm_status_t cpu_avx2_8x6x256_packed_fp64(const GemmDesc &desc, const Launch &, Error *error) {
  return run_fp64(desc, micro_8x6, 8, 6, error);
}

template <int WHICH>
libsgemm_status_t cpu_chain(const GemmDesc &desc, const Launch &, Error *error) {
  const Chain &chain = kChain[WHICH];
  const bool solves = desc.routine == Routine::trsm;
  const size_t floats = solves ? static_cast<size_t>(kSolveColumns * desc.k) : Packed<float>::kScratch;
  return for_items(desc, floats, error, [&](const GemmDesc &item, float *scratch) {
    if (solves) {
      chain.solve(triangle(item), item.alpha, scratch);
    } else {
      Packed<float>(chain.micro, chain.mr, chain.nr, &chain, LIBSGEMM_MATH_FP32, scratch).run(item);
    }
  });
}

template libsgemm_status_t cpu_chain<0>(const GemmDesc &, const Launch &, Error *);
template libsgemm_status_t cpu_chain<1>(const GemmDesc &, const Launch &, Error *);
template libsgemm_status_t cpu_chain<2>(const GemmDesc &, const Launch &, Error *);

#define INSTANTIATE(mode)                                                                              \
  template libsgemm_status_t cpu_sse2_8x4x256_packed<mode>(const GemmDesc &, const Launch &, Error *); \
  template libsgemm_status_t cpu_avx2_16x6x256_packed<mode>(const GemmDesc &, const Launch &, Error *)
INSTANTIATE(LIBSGEMM_MATH_FP32);
INSTANTIATE(LIBSGEMM_MATH_TF32);
INSTANTIATE(LIBSGEMM_MATH_BF16);
INSTANTIATE(LIBSGEMM_MATH_FP16);
#undef INSTANTIATE

}  // namespace libsgemm
