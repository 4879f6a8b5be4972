// Passes over the operands before a product of splits (docs/kernels/splits.md). Bound by memory.
//
//   survey, K-major        block of 256 threads: 8 rows x k = 1024, a warp a row
//   survey, MN-major       128 outer elements x k = 64, a warp every eighth k
//   split                  64 outer elements x k = 64, 16 threads x 4 k elements a row
//
// One launch processes both operands, A's blocks first. The split transposes an MN-major operand in shared memory.
#pragma once

#include "gpu/element.h"
#include "splits.h"

namespace libsgemm::gpu {

__device__ __forceinline__ uint32_t magnitude(uint32_t bits) { return bits & 0x7fffffffu; }

// log2 |x|, rounded down, of a finite x other than zero.
__device__ __forceinline__ int exponent_of(uint32_t bits) {
  return bits >= 0x00800000u ? static_cast<int>(bits >> 23) - 127 : -118 - __clz(static_cast<int>(bits));
}

// Exponent s of a row's scale 2^s, -113 to 163; 0 for rows of zeros, and for those left to the repair.
__device__ __forceinline__ int scale_of(uint32_t most) {
  if (most == 0 || most >= 0x7f800000u) return 0;
  return 14 - exponent_of(most);
}

// Excess (splits.h). The result does not matter for rows left to the repair.
__device__ __forceinline__ uint32_t excess_of(uint32_t most, uint32_t least) {
  if (least == 0) return 0;
  return static_cast<uint32_t>(max(0, exponent_of(most) - exponent_of(0u - least) - kNarrow));
}

// 2^s as two factors. The first one makes no normal number subnormal.
struct PowerOfTwo {
  float first, second;

  __device__ __forceinline__ explicit PowerOfTwo(int s) {
    first = __uint_as_float(static_cast<uint32_t>(127 + s / 2) << 23);
    second = __uint_as_float(static_cast<uint32_t>(127 + s - s / 2) << 23);
  }
  __device__ __forceinline__ float times(float x) const { return x * first * second; }
};

// One factor suffices for most exponents.
__device__ __forceinline__ float unscaled(float sum, int s) {
  if (s > -127 && s < 127) return sum * __uint_as_float(static_cast<uint32_t>(127 - s) << 23);
  return PowerOfTwo(max(-252, -s)).times(sum);
}

// `scale`: that of the element's row.
template <Scheme kScheme>
struct SplitsOfElement {
  using Split = std::conditional_t<kScheme == Scheme::tf32, uint32_t, uint16_t>;
  Split split[kSplits<kScheme>];

  __device__ __forceinline__ SplitsOfElement(uint32_t bits, const PowerOfTwo &scale) {
    if constexpr (kScheme == Scheme::tf32) {
      // A NaN must keep a bit that tensor cores read, or they take it for Inf. Other bits are cleared, because TMA
      // would round them again.
      split[0] = magnitude(bits) > 0x7f800000u ? bits | 0x00400000u : bits_of(round_to_tf32(__uint_as_float(bits)));
    } else if constexpr (kScheme == Scheme::bf16) {
      split[0] = narrow<Type::bf16>(__uint_as_float(bits));
    } else if constexpr (kScheme == Scheme::fp16) {
      split[0] = narrow<Type::f16>(__uint_as_float(bits));
    } else if constexpr (kScheme == Scheme::fp16x2) {
      const float x = scale.times(__uint_as_float(bits));
      split[0] = narrow<Type::f16>(x);
      split[1] = narrow<Type::f16>((x - widen<Type::f16>(split[0])) * (1 / kLowScale));
    } else {
      float x = scale.times(__uint_as_float(bits));
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        split[i] = narrow<Type::bf16>(x);
        x -= widen<Type::bf16>(split[i]);
      }
    }
  }
};

// ---- The survey. Splits::most and least must be zero before it.

__device__ __forceinline__ uint32_t most_of_warp(uint32_t most) {
  for (int mask = 16; mask > 0; mask /= 2) most = max(most, shuffle_xor(most, mask));
  return most;
}

__device__ __forceinline__ const PassOperand &operand_of(const PassProblem &p, unsigned blocks_a, unsigned *index) {
  const bool first = blockIdx.x < blocks_a;
  *index = first ? blockIdx.x : blockIdx.x - blocks_a;
  return first ? p.a : p.b;
}

// kRanges: finds Splits::least, too.
template <bool kRanges>
__device__ __forceinline__ void survey(const PassProblem &p) {
  unsigned index;
  const PassOperand &o = operand_of(p, p.a.survey, &index);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const auto *source = reinterpret_cast<Global<const uint32_t> *>(global(o.source) + blockIdx.z * o.product_bytes);
  const auto words_of = [&](uint32_t *words) { return global(words) + blockIdx.z * o.splits.product_most; };
  Global<uint32_t> *rows = words_of(o.splits.most), *blocks = words_of(o.splits.block_most);
  uint32_t most = 0, least = 0;
  const auto see = [&](uint32_t bits) {
    most = max(most, magnitude(bits));
    if constexpr (kRanges) least = max(least, 0u - magnitude(bits));
  };
  if (o.along_k) {
    const int64_t row_blocks = (o.outer - 1) / kSurveyRows + 1;
    const int64_t outer = index % row_blocks * kSurveyRows + thread / 32, first_k = index / row_blocks * kSurveyDepth;
    if (outer >= o.outer) return;
    source += outer * o.ld;
#pragma unroll 8
    for (int i = 0; i < kSurveyDepth; i += 32) {
      const int64_t k = first_k + i + lane;
      if (k < o.k) see(source[k]);
    }
    most = most_of_warp(most);
    if constexpr (kRanges) least = most_of_warp(least);
    if (lane == 0) {
      atomic_max(rows + outer, most);
      atomic_max(blocks + outer / kOuterPad, most);
      if constexpr (kRanges) atomic_max(words_of(o.splits.least) + outer, least);
    }
  } else {
    constexpr int kWarps = kPassThreads / 32, kRows = kSurveyOuter / 32;
    static_assert(kSurveyOuter % kOuterPad == 0 || kOuterPad % kSurveyOuter == 0, "a word of block_most for each warp");
    __shared__ uint32_t of_warp[kRanges ? 2 : 1][kWarps][kSurveyOuter];
    const int64_t row_blocks = (o.outer - 1) / kSurveyOuter + 1;
    const int64_t first = index % row_blocks * kSurveyOuter, first_k = index / row_blocks * kSurveySteps;
    const int warp = thread / 32;
    // The last row replaces those outside, so that no load is conditional.
    int64_t columns[kRows];
#pragma unroll
    for (int row = 0; row < kRows; ++row) columns[row] = min(first + lane + 32 * row, o.outer - 1);
    uint32_t mosts[kRows] = {}, leasts[kRows] = {};
    const int64_t end = min(first_k + kSurveySteps, o.k);
    source += (first_k + warp) * o.ld;
#pragma unroll 4
    for (int64_t k = first_k + warp; k < end; k += kWarps, source += kWarps * o.ld) {
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        const uint32_t bits = magnitude(source[columns[row]]);
        mosts[row] = max(mosts[row], bits);
        if constexpr (kRanges) leasts[row] = max(leasts[row], 0u - bits);
      }
    }
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      of_warp[0][warp][lane + 32 * row] = mosts[row];
      if constexpr (kRanges) of_warp[1][warp][lane + 32 * row] = leasts[row];
    }
    __syncthreads();
    if (thread >= kSurveyOuter) return;
    const int64_t outer = first + thread;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      most = max(most, of_warp[0][w][thread]);
      if constexpr (kRanges) least = max(least, of_warp[1][w][thread]);
    }
    if (outer < o.outer) {
      atomic_max(rows + outer, most);
      if constexpr (kRanges) atomic_max(words_of(o.splits.least) + outer, least);
    }
    most = most_of_warp(most);
    if (lane == 0 && outer < o.outer) atomic_max(blocks + outer / kOuterPad, most);
  }
}

template <typename Element>
struct alignas(4 * sizeof(Element)) Four {
  Element e[4];
};

// Packs words first: clang 15 would assemble FP16 numbers in scratch.
template <typename Split>
__device__ __forceinline__ void store_four(Global<char> *to, const Four<Split> &x) {
  if constexpr (sizeof(Split) == 2) {
    struct Words {
      uint32_t low, high;
    };
    store_as(to, Words{x.e[0] | static_cast<uint32_t>(x.e[1]) << 16, x.e[2] | static_cast<uint32_t>(x.e[3]) << 16});
  } else {
    store_as(to, x);
  }
}

// `room`: elements inside the matrix.
__device__ __forceinline__ Four<uint32_t> load_four(Global<const uint32_t> *from, int64_t room, bool vectors) {
  Four<uint32_t> x = {};
  if (vectors && room >= 4) return load_as<Four<uint32_t>>(from);
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    if (e < room) x.e[e] = from[e];
  }
  return x;
}

// Adds over a row's 16 threads.
__device__ __forceinline__ uint32_t sum_of_row(uint32_t x) {
  for (int mask = 8; mask > 0; mask /= 2) x += shuffle_xor(x, mask);
  return x;
}

// kRanges: also finds the excess of rows, and if this panel is all of k, the rows that are not dense. An operand that
// is not split needs only the excess, by one block for each kSplitTile rows.
template <Scheme kScheme, bool kRanges = false>
__device__ __forceinline__ void split(const PassProblem &p) {
  using SplitsOf = SplitsOfElement<kScheme>;
  using Split = typename SplitsOf::Split;
  constexpr int kTile = kSplitTile, kRowStep = kPassThreads / 16, kRows = kTile / kRowStep;
  __shared__ uint32_t transposed[kTile][kTile + 1];
  unsigned index;
  const PassOperand &o = operand_of(p, p.a.split, &index);
  const int thread = static_cast<int>(threadIdx.x), row = thread / 16, step = thread % 16 * 4;
  const int64_t outer_tiles = o.splits.rows / kTile;
  const int64_t first_outer = index % outer_tiles * kTile, first_k = index / outer_tiles * kTile;
  const auto *source = reinterpret_cast<Global<const uint32_t> *>(global(o.source) + blockIdx.z * o.product_bytes);
  const auto words_of = [&](uint32_t *words) { return global(words) + blockIdx.z * o.splits.product_most; };
  uint32_t most[kRows] = {};
  if constexpr (kScaledRows<kScheme>) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      most[i] = words_of(o.splits.most)[first_outer + row + i * kRowStep];
    }
  }
  if constexpr (kRanges) {
    // Only blocks at the panel's first k do this. Every panel finds the same excess.
    if (first_k == 0 && step == 0) {
      const auto *least = words_of(o.splits.least);
      uint32_t excess = 0;
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        excess = max(excess, excess_of(most[i], least[first_outer + row + i * kRowStep]));
      }
      if (excess > 0) {
        atomic_max(words_of(o.splits.excess) + first_outer / kOuterPad, excess);
      }
    }
    if (o.splits.base == nullptr) return;
  }
  Four<uint32_t> x[kRows] = {};
  if (o.along_k) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int64_t outer = first_outer + row + i * kRowStep, k = first_k + step;
      if (outer < o.outer) x[i] = load_four(source + outer * o.ld + k, o.k - k, o.vectors);
    }
  } else {
    constexpr int kStep = kPassThreads / kTile;  // distance of a thread's elements, in one row
    const int column = thread % kTile, first_step = thread / kTile;
    const int64_t outer = first_outer + column;
    const auto *from = source + (first_k + first_step) * o.ld + outer;
    const int64_t room = outer < o.outer ? o.k - first_k - first_step : 0;
#pragma unroll
    for (int i = 0; i < kTile / kStep; ++i) {
      if (i * kStep < room) x[i / 4].e[i % 4] = from[i * kStep * o.ld];
    }
#pragma unroll
    for (int i = 0; i < kTile / kStep; ++i) transposed[first_step + i * kStep][column] = x[i / 4].e[i % 4];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4 * kRows; ++i) {
      x[i / 4].e[i % 4] = transposed[step + i % 4][row + i / 4 * kRowStep];
    }
  }
  auto *to = global(o.splits.base) + blockIdx.z * o.splits.product_bytes +
             ((first_outer + row) * o.splits.ld + first_k + step) * static_cast<int64_t>(sizeof(Split));
  uint32_t large = 0;  // a count of elements that are not small, in a byte for each row
#pragma unroll
  for (int i = 0; i < kRows; ++i, to += kRowStep * o.splits.ld * static_cast<int64_t>(sizeof(Split))) {
    const PowerOfTwo scale(scale_of(most[i]));
    Four<Split> out[kSplits<kScheme>];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const SplitsOf splits(x[i].e[e], scale);
#pragma unroll
      for (int q = 0; q < kSplits<kScheme>; ++q) out[q].e[e] = splits.split[q];
      if constexpr (kRanges) large += static_cast<uint32_t>(splits.split[0] >> 14 & 1) << 8 * i;
    }
#pragma unroll
    for (int q = 0; q < kSplits<kScheme>; ++q) store_four(to + q * o.splits.split_bytes, out[q]);
  }
  if constexpr (kRanges) {
    static_assert(kRows == 4, "a byte for each row");
    large = sum_of_row(large);
    const int64_t steps = min(o.k - first_k, int64_t{kTile});
    bool sparse = false;
#pragma unroll
    for (int i = 0; i < kRows; ++i) sparse |= most[i] != 0 && (large >> 8 * i & 255) + kMostSmall < steps;
    if (sparse && step == 0) {
      words_of(o.splits.sparse)[first_outer / kOuterPad] = 1;
    }
  }
}

}  // namespace libsgemm::gpu
