// Products of split operands by wgmma where the kernel splits y, that is A, in shared memory. Unlike in
// wgmma/wgmma_engine.cuh, the third warpgroup has two tasks:
//
//   warp 8         one lane copies the splits of x, and the FP32 elements of y unchanged
//   warp 9 to 11   convert these elements to splits, in place
//
// A stage has k = 32. Its part of y is 128 rows: 16384 bytes of FP32, in lines of 128 bytes. The first two splits take
// as many bytes, in the order that wgmma reads. What a warp converts at a time fits into what it has read:
//
//   A K-major (transposed)      8 rows (1024 bytes): lines of 32 k, one row each
//                               -> [8 lines of 64 bytes of split 0][8 of split 1]
//   A MN-major                  64 rows (8192 bytes): [32 lines of 32 rows, one k each][32 of the next 32 rows]
//                               -> [32 lines of 64 rows of split 0][32 of split 1]
//   the third split of bf16x3   8192 bytes after these: 128 lines of 64 bytes, or two blocks of 32 lines of 128 bytes
//
// TMA's swizzle permutes the 16-byte chunks of a line, before and after the conversion. There are no bank conflicts.
// The splits have the bits of the pass's (splits_pass.h).
//
// The factors of a tile's 128 rows, for two tiles alternately, follow the main loop's shared memory, then a barrier for
// each stage: its FP32 elements have arrived. A stage is full when x has arrived, and the three converter warps at its
// barrier. Why no wait can deadlock: docs/kernels/splits.md.
//
// Requires: A at a multiple of 16 bytes; lda and the stride of a batch multiples of 4.
#pragma once

#include "wgmma_split.cuh"

namespace libsgemm::cuda {

constexpr int kConverters = 3;  // number of warps

// Layouts of y; the first two splits share lines.
template <bool kAlongK>
struct ConvertedLines {
  using Shared = ptx::AlongK<64, 1024>;
  using Alone = ptx::AlongK<64>;
  static constexpr int second = 512;  // bytes from split 0 to split 1
};
template <>
struct ConvertedLines<false> {
  using Shared = ptx::AlongOuter<64>;
  using Alone = ptx::AlongOuter<32>;
  static constexpr int second = 4096;
};

template <Number kNumber, int kPlanes, int kStages, bool kAlongK>
struct ConvertShape
    : WgmmaShape<kNumber, ptx::AlongK<64>, typename ConvertedLines<kAlongK>::Shared, 2, 128, 32, kStages, 2, kPlanes> {
  using Base =
      WgmmaShape<kNumber, ptx::AlongK<64>, typename ConvertedLines<kAlongK>::Shared, 2, 128, 32, kStages, 2, kPlanes>;
  using Lines = ConvertedLines<kAlongK>;
  static constexpr Scheme scheme = kPlanes == 2 ? Scheme::fp16x2 : Scheme::bf16x3;
  static constexpr bool along_k = kAlongK;
  static constexpr int rows = Base::tile_y, raw_bytes = rows * Base::depth * 4;
  static constexpr int third = raw_bytes;  // place of the third split
  static constexpr int factors_bytes = 2 * rows * 4;
  static constexpr int factors_at = Base::shared_bytes, raw_at = factors_at + 2 * factors_bytes;
  static constexpr int shared_bytes = raw_at + 8 * kStages;
  static_assert(Base::shares_x && rows == 128 && Base::depth == 32, "the lines that are described");
  static_assert(raw_bytes <= Base::y_bytes && factors_at % 16 == 0 && shared_bytes <= 227 * 1024, "room");

  __device__ __forceinline__ static uint64_t descriptor_y(uint32_t y, int plane) {
    return plane == 2 ? Lines::Alone::descriptor(y + third) : Lines::Shared::descriptor(y + plane * Lines::second);
  }
  __device__ __forceinline__ static uint32_t raw(const WgmmaRing<ConvertShape> &at) {
    return at.shared + raw_at + 8 * at.stage;
  }
};

template <class Config>
__device__ __forceinline__ void copy_tiles_to_convert(const WgmmaMaps &maps, const WgmmaProblem &p,
                                                      WgmmaRing<Config> at, int rank, const WgmmaWalk &walk) {
#pragma unroll 1
  for (int t = walk.first; t < walk.count; t += walk.step) {
    const WgmmaTile tile(p, t);
    const int x = tile.x * Config::cluster_x + rank * Config::x_chunk;
    const int y = tile.y * Config::cluster_y + rank * Config::tile_y;
    int k = 0;
#pragma unroll 1
    for (int s = 0; s < p.k_steps; ++s, k += Config::depth) {
      ptx::barrier_wait(at.empty(), at.parity ^ 1);
      // y comes first, since it is converted after it arrives.
      const uint32_t raw = Config::raw(at);
      ptx::barrier_arrive_and_expect(raw, Config::raw_bytes);
      const int product = tile.product * p.moves_y;
      if constexpr (Config::along_k) {
        ptx::copy_box(at.y(), &maps.y, k, y, 0, product, raw);
      } else {
#pragma unroll
        for (int i = 0; i < Config::rows / 32; ++i) {
          ptx::copy_box(at.y() + i * 4096, &maps.y, y + 32 * i, k, 0, product, raw);
        }
      }
      ptx::barrier_arrive_and_expect(at.full(), Config::x_bytes);
      copy_chunk<Config, typename Config::X, Config::x_chunk>(at.x() + rank * (Config::x_bytes / 2), maps.x, x, k,
                                                              tile.product * p.moves_x, true, at.full());
      at.advance();
    }
  }
}

// The first element is in the low half.
template <Scheme kScheme>
struct SplitsOfPair {
  uint32_t split[kSplits<kScheme>];

  __device__ __forceinline__ SplitsOfPair(float x, float y) {
    if constexpr (kScheme == Scheme::fp16x2) {
      split[0] = ptx::to_f16_pair(x, y);
      split[1] = ptx::to_f16_pair((x - widen<Type::f16>(split[0])) * (1 / kLowScale),
                                  (y - widen<Type::f16>(split[0] >> 16)) * (1 / kLowScale));
    } else {
      static_assert(kScheme == Scheme::bf16x3, "one of those with scaled rows");
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        split[i] = ptx::to_bf16_pair(x, y);
        x -= widen<Type::bf16>(split[i]);
        y -= widen<Type::bf16>(split[i] >> 16);
      }
    }
  }
};

// Writes 8 bytes of each split: split 0 to `first`, split 1 Lines::second bytes further, split 2 to `third`.
template <class Config>
__device__ __forceinline__ void convert_four(const float4 &x, const float4 &factor, const float4 &other, uint32_t first,
                                             uint32_t third) {
  using Pair = SplitsOfPair<Config::scheme>;
  const Pair low(x.x * factor.x * other.x, x.y * factor.y * other.y);
  const Pair high(x.z * factor.z * other.z, x.w * factor.w * other.w);
#pragma unroll
  for (int q = 0; q < Config::planes; ++q) {
    ptx::store_shared_x2(q == 2 ? third : first + q * Config::Lines::second, __uint_as_float(low.split[q]),
                         __uint_as_float(high.split[q]));
  }
}

// A warp converts one of the 8 parts of a stage: 16 rows if A is K-major, otherwise 64 rows x 8 k. It reads all of it
// before it writes. A lane's 4 addresses differ by a constant and, for the swizzle, an exclusive-or.
template <class Config>
__device__ __forceinline__ void convert_part(uint32_t y, uint32_t part, uint32_t factors) {
  constexpr uint32_t kEach = 4;
  const uint32_t lane = threadIdx.x % 32;
  float4 x[kEach];
  if constexpr (Config::along_k) {
    // Row 16 part + 4 i + r, k from 4 c to 4 c + 3.
    const uint32_t c = lane % 8, r = lane / 8;
    const uint32_t raw = y + part * 2048 + r * 128 + (c ^ r) * 16;
    const uint32_t within = r * 64 + (c / 2 ^ r / 2) * 16 + c % 2 * 8;
    const uint32_t first = y + part * 2048 + within, third = y + Config::third + part * 1024 + within;
#pragma unroll
    for (uint32_t i = 0; i < kEach; ++i) x[i] = ptx::load_shared_x4((raw ^ i % 2 * 64) + i * 512);
    const float4 factor = ptx::load_shared_x4(factors + (16 * part + 4 * r) * 4);
    const float4 other = ptx::load_shared_x4(factors + (Config::rows + 16 * part + 4 * r) * 4);
    const float of_row[kEach] = {factor.x, factor.y, factor.z, factor.w};
    const float other_of_row[kEach] = {other.x, other.y, other.z, other.w};
    __syncwarp();
#pragma unroll
    for (uint32_t i = 0; i < kEach; ++i) {
      const float f = of_row[i], o = other_of_row[i];
      convert_four<Config>(x[i], make_float4(f, f, f, f), make_float4(o, o, o, o),
                           (first ^ i % 2 * 32) + i / 2 * 1024 + i % 2 * 256, (third ^ i % 2 * 32) + i * 256);
    }
  } else {
    // Rows 64 block + 4 c to 64 block + 4 c + 3, at k = 8 (part / 2) + 2 i + r.
    const uint32_t c = lane % 16, r = lane / 16, block = part % 2;
    const uint32_t line = part / 2 * 1024 + r * 128;
    const uint32_t raw = y + (2 * block + c / 8) * 4096 + line + (c % 8 ^ r) * 16;
    const uint32_t within = line + (c / 2 ^ r) * 16 + c % 2 * 8;
    const uint32_t first = y + block * 8192 + within, third = y + Config::third + block * 4096 + within;
#pragma unroll
    for (uint32_t i = 0; i < kEach; ++i) x[i] = ptx::load_shared_x4((raw ^ i * 32) + i * 256);
    const float4 factor = ptx::load_shared_x4(factors + (64 * block + 4 * c) * 4);
    const float4 other = ptx::load_shared_x4(factors + (Config::rows + 64 * block + 4 * c) * 4);
    __syncwarp();
#pragma unroll
    for (uint32_t i = 0; i < kEach; ++i) {
      convert_four<Config>(x[i], factor, other, (first ^ i * 32) + i * 256, (third ^ i * 32) + i * 256);
    }
  }
}

// `warp`: index among the converters.
template <class Config>
__device__ __forceinline__ void convert_tiles(const WgmmaSplitProblem &p, WgmmaRing<Config> at, int rank, int warp,
                                              const WgmmaWalk &walk) {
  constexpr uint32_t kParts = 8;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  uint32_t factors = at.shared + Config::factors_at, others = factors + Config::factors_bytes;
#pragma unroll 1
  for (int t = walk.first; t < walk.count; t += walk.step) {
    const WgmmaTile tile(p.product, t);
    const int y = tile.y * Config::cluster_y + rank * Config::tile_y;
    const uint32_t *most = p.most_y + tile.product * p.product_most_y;
#pragma unroll 1
    for (int row = 32 * warp + lane; row < Config::rows; row += 32 * kConverters) {
      const PowerOfTwo scale(y + row < p.product.y ? scale_of(__ldg(most + y + row)) : 0);
      // A K-major: the factors of a lane's four rows, 4 apart, are stored contiguously.
      const int at_row = Config::along_k ? row / 16 * 16 + row % 4 * 4 + row / 4 % 4 : row;
      ptx::store_shared(factors + at_row * 4, scale.first);
      ptx::store_shared(factors + (Config::rows + at_row) * 4, scale.second);
    }
    // After this no warp reads the previous tile's factors, which the next tile overwrites.
    ptx::synchronize_threads(1, 32 * kConverters);
#pragma unroll 1
    for (int s = 0; s < p.product.k_steps; ++s) {
      ptx::barrier_wait(Config::raw(at), at.parity);
#pragma unroll 1
      for (uint32_t part = static_cast<uint32_t>(warp); part < kParts; part += kConverters) {
        convert_part<Config>(at.y(), part, factors);
      }
      ptx::order_with_tma();
      __syncwarp();
      if (lane == 0) ptx::barrier_arrive(at.full());
      at.advance();
    }
    const uint32_t last = factors;
    factors = others, others = last;
  }
}

template <class Config>
__device__ __forceinline__ void wgmma_convert(const WgmmaMaps &maps, const WgmmaSplitProblem &p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  const int rank = ptx::cluster_rank();
  const WgmmaRing<Config> at(ptx::shared_address(dynamic_shared()), rank);
  const WgmmaWalk walk = walk_of<Config>(p.product, WgmmaTile::count(p.product));
  begin<Config>(at, 1 + kConverters, [](const WgmmaRing<Config> &stage) { ptx::barrier_init(Config::raw(stage), 1); });
  ptx::wait_for_grid_before();
  const int warp = ptx::uniform(static_cast<int>(threadIdx.x) / 32), group = warp / 4;
  if (group == kConsumers) {
    ptx::give_registers<56>();
    if (warp > kConsumerWarps) {
      convert_tiles<Config>(p, at, rank, warp - kConsumerWarps - 1, walk);
    } else if (ptx::elect_one()) {
      copy_tiles_to_convert<Config>(maps, p.product, at, rank, walk);
    }
    __syncwarp();
  } else {
    ptx::take_registers<224>();
    multiply_tiles<Config>(WgmmaWork{maps, p.product}, at, group, walk, SplitFinish{p});
  }
  ptx::synchronize_cluster();
#endif
}

}  // namespace libsgemm::cuda
