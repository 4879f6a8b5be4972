// Split operands: passes (splits_pass.h) write them into the workspace, and products read them. For host and device.
// Why, the proof of fp32_fast's bound, and sources: docs/kernels/splits.md.
//
// An operand of `outer` x k elements becomes `splits` matrices of 16-bit numbers (or its own 32-bit ones), all K-major:
//
//   split p, row o, k element l:  base + p * split_bytes + (o * ld + l) * size of a number
//
// with `outer` rounded up to kOuterPad rows and k to kDepthPad. The padding is zero, so that products read whole tiles
// without bounds checks.
//
//   scheme   splits   x is                                               products, in this order
//   bf16x3   3        2^-s (x0 + x1 + x2), exact up to 2^-148 of the     x2 y0, x1 y1, x0 y2, x1 y0, x0 y1, x0 y0
//                     row's largest magnitude
//   fp16x2   2        2^-s (x0 + 2^-11 x1), up to 2^-23 |x| and 2^-50    x1 y0, x0 y1, times 2^-11; x0 y0
//                     of the row's largest magnitude
//   others   1        x to nearest even; fp16: Inf from 65520 on         x0 y0
//
// s scales the row's largest magnitude to 2^14 to 2^15. It follows from `most`, the bits of that magnitude; those of
// NaN and Inf exceed all others.
//
// Mode fp32_fast keeps FP32's error bound from k = kLeastFast on: splits serve a tile if the excesses of its rows and
// columns add up to at most most_excess(k), or if all are dense (docs/glossary.md); FP64 computes the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/batch.h"

namespace libsgemm::gpu {

enum class Scheme { bf16x3, fp16x2, bf16, fp16, tf32 };

constexpr float kLowScale = 0x1p-11f;  // scale of fp16x2's second split: without it rows of wide range lose bits
constexpr int kOuterPad = 128, kDepthPad = 64;

// Mode fp32_fast: powers of two that a row spans without excess; least k. most_excess() is log2(sqrt(k) / 4), rounded
// down.
constexpr int kNarrow = 27;
constexpr int64_t kLeastFast = 256;
constexpr int kMostSmall = 8;  // elements of kSplitTile in a dense row that may be small
inline int most_excess(int64_t k) {
  int d = 0;
  while (d < 24 && (int64_t{64} << 2 * d) <= k) ++d;
  return d;
}

template <Scheme kScheme>
constexpr int kSplits = kScheme == Scheme::bf16x3   ? 3
                        : kScheme == Scheme::fp16x2 ? 2
                                                    : 1;
template <Scheme kScheme>
constexpr bool kScaledRows = kScheme == Scheme::bf16x3 || kScheme == Scheme::fp16x2;

// A split operand, or some rows of it. Product i of a batch is i strides further: product_bytes, for words
// product_most.
struct Splits {
  char *base;           // null: the product converts the operand, and only words are here
  int64_t rows, ld;     // elements
  int64_t split_bytes;  // distance of splits
  int64_t product_bytes;
  uint32_t *most, *block_most;  // words of rows and of kOuterPad rows; null unless scaled
  int64_t product_most;
  // Mode fp32_fast, else null. `least`: 2^32 less the bits of a row's smallest magnitude other than zero, 0 if there is
  // none. `excess`, `sparse`: one word for kOuterPad rows; sparse: a row is not dense.
  uint32_t *least, *excess, *sparse;
};

// ---- Scaled rows

// The tile's terms may leave FP32's range, or it holds NaN or Inf: FFMA computes it, so that partial sums overflow
// where FP32's do. 2^(ea + 1) 2^(eb + 1) k bounds every partial sum.
LIBSGEMM_HOST_DEVICE inline bool needs_ffma(uint32_t most_a, uint32_t most_b, int log2_k) {
  const int ea = static_cast<int>(most_a >> 23) - 127, eb = static_cast<int>(most_b >> 23) - 127;
  return ea == 128 || eb == 128 || ea + eb + 2 + log2_k > 127;
}

inline int log2_of(int64_t k) {
  int log2 = 0;
  while (log2 < 62 && (int64_t{1} << log2) < k) ++log2;
  return log2;
}

// Selects the tiles of kOuterPad x kOuterPad that products of splits leave out: needs_ffma(); in mode fp32_fast also
// those of too much excess, or all.
struct Guard {
  const uint32_t *a, *b;  // words for kOuterPad rows of A or columns of B
  int64_t product_most;
  int log2_k;  // log2 of the whole k, rounded up
  // Mode fp32_fast; null: unknown.
  const uint32_t *excess_a, *excess_b;
  const uint32_t *sparse_a, *sparse_b;
  uint32_t most_excess;
  bool all;  // k is small: there was no survey

  LIBSGEMM_HOST_DEVICE bool operator()(int64_t product, int i, int j) const {
    if (all) return true;
    const int64_t at_a = product * product_most + i, at_b = product * product_most + j;
    if (excess_a != nullptr && excess_a[at_a] + excess_b[at_b] > most_excess &&
        (sparse_a == nullptr || (sparse_a[at_a] | sparse_b[at_b]) != 0)) {
      return true;
    }
    return needs_ffma(a[at_a], b[at_b], log2_k);
  }
};

struct PassOperand {
  const char *source;  // place of the first product and the panel's first k element
  int64_t product_bytes, ld;
  int64_t outer, k;        // sizes of this panel
  bool along_k;            // K-major
  bool vectors;            // K-major rows start at multiples of 4 elements
  unsigned survey, split;  // blocks of a pass; 0 leaves the operand out
  Splits splits;
};

struct PassProblem {
  PassOperand a, b;

  bool wants_ranges() const { return a.splits.least != nullptr || b.splits.least != nullptr; }
};

constexpr int kPassThreads = 256;
constexpr int kSplitTile = 64;                        // side of a block, in outer and in k elements
constexpr int kSurveyRows = 8, kSurveyDepth = 1024;   // K-major block
constexpr int kSurveyOuter = 128, kSurveySteps = 64;  // MN-major block

// Each backend with kernels that split defines these: passes of schemes with scaled rows, and the guard's tiles by FP32
// FMAs.
libsgemm_status_t launch_survey(const PassProblem &p, int64_t products, const Launch &launch, Error *error);
libsgemm_status_t launch_split(Scheme scheme, const PassProblem &p, int64_t products, const Launch &launch,
                               Error *error);
libsgemm_status_t launch_repair(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error);
// The guard's tiles in FP64, for mode fp32_fast.
libsgemm_status_t launch_repair_fp64(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error);

}  // namespace libsgemm::gpu
