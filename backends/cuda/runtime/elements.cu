// Verifies all elements of a product against FP64, as common/verify/tiles.cpp does on the host. It shares no code with
// the kernels that it judges, uses no tensor cores and no asynchronous copies, and sums in the order of k.
//
// A block of 256 threads sums tiles of 64 x 64 elements over all of k, 16 terms at a time: a thread has 4 x 4 elements,
// 16 rows or columns apart. A term costs two FP64 FMAs: one for the sum, one for the sum of magnitudes. Half of the
// threads also add up the lines (rows of op(A), columns of op(B)), which the bound needs where inputs are split or cut,
// or alpha is neither 1 nor -1.
//
// Requires: one product of any types, transpositions, alignment and size.
#include "runtime/elements.h"

#include <algorithm>

#include "contract/half.h"
#include "gpu/element.h"
#include "gpu/gpu.h"
#include "gpu/launch.h"

namespace libsgemm::cuda {
namespace {

using namespace gpu;

constexpr int kThreads = 256, kTile = 64, kDepth = 16;
constexpr int kSide = 16, kOwn = kTile / kSide;    // threads, and elements of a thread, along a side
constexpr int kLoads = kTile * kDepth / kThreads;  // a thread's loads from each operand
constexpr int64_t kMostBlocks = kMostElementBytes / sizeof(double);
static_assert(kSide * kSide == kThreads && kMostBlocks >= kThreads);

// op(A), or op(B)^T: element (i, l) is data[i * line_step + l * step].
struct Factor {
  const void *data;
  int64_t line_step, step, lines;
};

struct ElementsWork {
  Factor a, b;
  const float *c, *before;
  int64_t ldc, k;
  Type type;
  bool needs_lines;
  ElementBound bound;
  double *worst;  // one for each block
};

using Slab = double[kDepth][kTile + 1];

__device__ __forceinline__ float element_of(const ElementsWork &w, const Factor &f, int64_t at) {
  if (w.type == Type::f32) return rounded(static_cast<const float *>(f.data)[at], w.bound.mode);
  const uint16_t bits = static_cast<const uint16_t *>(f.data)[at];
  return w.type == Type::f16 ? widen<Type::f16>(bits) : widen<Type::bf16>(bits);
}

// Neighbouring threads load contiguous elements; elements outside become zeros.
__device__ __forceinline__ void load_slab(const ElementsWork &w, const Factor &f, int64_t first, int64_t l,
                                          Slab &slab) {
#pragma unroll
  for (int load = 0; load < kLoads; ++load) {
    const int at = static_cast<int>(threadIdx.x) + load * kThreads;
    const int line = f.line_step == 1 ? at % kTile : at / kDepth, term = f.line_step == 1 ? at / kTile : at % kDepth;
    const int64_t i = first + line, t = l + term;
    const float x = i < f.lines && t < w.k ? element_of(w, f, i * f.line_step + t * f.step) : 0;
    slab[term][line] = static_cast<double>(x);
  }
}

__device__ __forceinline__ void add_slab(const Slab &x, const Slab &y, int row, int column, double (*value)[kOwn],
                                         double (*magnitude)[kOwn]) {
#pragma unroll 2
  for (int l = 0; l < kDepth; ++l) {
    double a[kOwn], b[kOwn];
#pragma unroll
    for (int own = 0; own < kOwn; ++own) {
      a[own] = x[l][row + own * kSide];
      b[own] = y[l][column + own * kSide];
    }
#pragma unroll
    for (int j = 0; j < kOwn; ++j) {
#pragma unroll
      for (int i = 0; i < kOwn; ++i) {
        value[j][i] = fma(a[i], b[j], value[j][i]);
        magnitude[j][i] = fma(fabs(a[i]), fabs(b[j]), magnitude[j][i]);
      }
    }
  }
}

// `lines`: sums of the tile's lines of op(A), then of op(B).
__device__ __forceinline__ double judge_own(const ElementsWork &w, int64_t first_row, int64_t first_column, int row,
                                            int column, const double (*value)[kOwn], const double (*magnitude)[kOwn],
                                            const Line *lines) {
  double worst = 0;
#pragma unroll
  for (int own = 0; own < kOwn * kOwn; ++own) {
    const int r = row + own % kOwn * kSide, c = column + own / kOwn * kSide;
    const int64_t i = first_row + r, j = first_column + c;
    if (i >= w.a.lines || j >= w.b.lines) continue;
    const Line &x = lines[r], &y = lines[kTile + c];
    ProductElement e = {static_cast<double>(w.c[i + j * w.ldc]), 0, value[own / kOwn][own % kOwn],
                        magnitude[own / kOwn][own % kOwn], 0};
    if (w.before != nullptr) e.old = static_cast<double>(w.before[i + j * w.a.lines]);
    if (mode_traits(w.bound.mode).loses_bits()) e.lost = lost_by(parts_of(x, w.bound.mode), parts_of(y, w.bound.mode));
    const double ratio = product_ratio(e, w.bound, [&] {
      return Line{x.sum + y.sum, x.largest < y.largest ? y.largest : x.largest};
    });
    worst = worst < ratio ? ratio : worst;
  }
  return worst;
}

__global__ void LIBSGEMM_LAUNCH_BOUNDS(kThreads, 2) verify_elements(const __grid_constant__ ElementsWork w) {
  __shared__ Slab x, y;
  __shared__ Line lines[2 * kTile];
  __shared__ double worst[kThreads];
  const int thread = static_cast<int>(threadIdx.x), row = thread % kSide, column = thread / kSide;
  const int64_t down = (w.a.lines - 1) / kTile + 1, tiles = down * ((w.b.lines - 1) / kTile + 1);
  worst[thread] = 0;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t first_row = tile % down * kTile, first_column = tile / down * kTile;
    double value[kOwn][kOwn] = {}, magnitude[kOwn][kOwn] = {};
    if (thread < 2 * kTile) lines[thread] = {};
    for (int64_t l = 0; l < w.k; l += kDepth) {
      load_slab(w, w.a, first_row, l, x);
      load_slab(w, w.b, first_column, l, y);
      __syncthreads();
      add_slab(x, y, row, column, value, magnitude);
      if (w.needs_lines && thread < 2 * kTile) {
        for (int term = 0; term < kDepth; ++term) {
          lines[thread].add(fabs(thread < kTile ? x[term][thread] : y[term][thread - kTile]));
        }
      }
      __syncthreads();
    }
    const double ratio = judge_own(w, first_row, first_column, row, column, value, magnitude, lines);
    if (worst[thread] < ratio) worst[thread] = ratio;
    __syncthreads();
  }
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread < half && worst[thread] < worst[thread + half]) worst[thread] = worst[thread + half];
    __syncthreads();
  }
  if (thread == 0) w.worst[blockIdx.x] = worst[0];
}

int64_t blocks_of(const GemmDesc &d) {
  const int64_t down = (d.m - 1) / kTile + 1, across = (d.n - 1) / kTile + 1;
  return std::min(down * across, kMostBlocks);
}

}  // namespace

size_t elements_bytes(const GemmDesc &desc, int) {
  if (desc.routine != Routine::gemm || desc.batch != Batch::none) return 0;
  return static_cast<size_t>(blocks_of(desc)) * sizeof(double);
}

libsgemm_status_t elements(const GemmDesc &d, const ElementBound &bound, const float *before, const Launch &launch,
                           Error *error) {
  const bool ta = d.transa != LIBSGEMM_NO_TRANS, tb = d.transb != LIBSGEMM_NO_TRANS;
  ElementsWork w = {};
  w.a = {d.a, ta ? d.lda : 1, ta ? 1 : d.lda, d.m};
  w.b = {d.b, tb ? 1 : d.ldb, tb ? d.ldb : 1, d.n};
  w.c = d.c, w.before = before;
  w.ldc = d.ldc, w.k = d.k;
  w.type = d.type;
  w.needs_lines = mode_traits(bound.mode).loses_bits() || bound.cut.part > 0 || (bound.alpha != 1 && bound.alpha != -1);
  w.bound = bound;
  w.worst = static_cast<double *>(launch.workspace);
  return launch_kernel(verify_elements, dim3(static_cast<unsigned>(blocks_of(d))), dim3(kThreads), 0, launch, error, w);
}

}  // namespace libsgemm::cuda
