// Products of the wgmma main loop (wgmma_engine.cuh).
#pragma once

#include "wgmma_tiles.cuh"

namespace libsgemm::cuda {

template <class Config>
__device__ __forceinline__ uint32_t offset_x(int group, int half, int plane) {
  const int row = (group * Config::halves + half) * 64, chunk = row / Config::x_chunk;
  return (chunk * Config::planes + plane) * (Config::x_chunk * Config::row_bytes) +
         (row - chunk * Config::x_chunk) * Config::row_bytes;
}

// Issues the products of a stage: one half and plane of x times one plane of y.
template <class Config, int kSums>
__device__ __forceinline__ void multiply_stage(float (&sum)[kSums], uint32_t x, uint64_t of_y, bool fresh) {
  using X = typename Config::X;
  using Y = typename Config::Y;
  const uint64_t of_x = X::descriptor(x);
#pragma unroll
  for (int i = 0; i < Config::instructions; ++i) {
    ptx::wgmma<Config::number, 2 * kSums, X::along_k, Y::along_k>(
        sum, of_x + (i * X::step_bytes >> 4), of_y + (i * Y::step_bytes >> 4), i > 0 || !fresh ? 1 : 0);
  }
}

// Accumulates all of a tile's k in the tensor cores.
template <class Config, int kSums>
__device__ __forceinline__ void multiply_tile(float (&sum)[Config::halves][kSums], WgmmaRing<Config> *at, int group,
                                              int steps) {
  uint32_t before = 0;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    at->wait_full();
    ptx::wgmma_fence();
#pragma unroll
    for (int h = 0; h < Config::halves; ++h) {
      multiply_stage<Config>(sum[h], at->x() + offset_x<Config>(group, h, 0), Config::descriptor_y(at->y(), 0), s == 0);
    }
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();  // for the previous stage
    if (s > 0) at->release(before);
    before = at->empty();
    at->advance();
  }
  ptx::wgmma_wait<0>();
  at->release(before);
}

// multiply_tile() if the warpgroups take alternate stages.
template <class Config, int kSums>
__device__ __forceinline__ void multiply_in_turn(float (&sum)[1][kSums], WgmmaRing<Config> *at, int group, int steps) {
  uint32_t before = 0;
  if (group > 0) at->advance();
#pragma unroll 1
  for (int s = group; s < steps; s += kConsumers) {
    at->wait_full();
    ptx::wgmma_fence();
    multiply_stage<Config>(sum[0], at->x(), Config::descriptor_y(at->y(), 0), s == group);
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();  // for the warpgroup's previous stage
    if (s > group) at->release(before);
    before = at->empty();
    at->advance();
    if (s + 1 < steps) at->advance();
  }
  ptx::wgmma_wait<0>();
  if (steps > group) at->release(before);
}

// Adds the accumulators of both warpgroups. Returns true in the first one, which stores them. If `both` were in the
// registers of `sum`, ptxas would serialise the products (C7515).
template <class Config, int kSums>
__device__ __forceinline__ bool gather_sums(const float (&sum)[kSums], float (&both)[kSums], uint32_t shared, int group,
                                            int steps, int width, unsigned *parity) {
  if (steps < kConsumers) {
#pragma unroll
    for (int i = 0; i < kSums; ++i) both[i] = sum[i];
    return group == 0;
  }
  const uint32_t mine = shared + Config::sums_at + threadIdx.x % 128 * 4;
  if (group == 1) {
    ptx::barrier_wait(shared + Config::sums_taken, *parity ^ 1);
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
      if (2 * i < width) ptx::store_shared(mine + 512 * i, sum[i]);
    }
    ptx::barrier_arrive(shared + Config::sums_there);
  } else {
    ptx::barrier_wait(shared + Config::sums_there, *parity);
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
      if (2 * i < width) both[i] = sum[i] + ptx::load_shared(mine + 512 * i);
    }
    ptx::barrier_arrive(shared + Config::sums_taken);
  }
  *parity ^= 1;
  return group == 0;
}

// multiply_tile() with x through registers. If these were written while products are in flight, ptxas would serialise
// the products (C7513). So a warpgroup waits for its products while the other one multiplies.
template <class Config>
__device__ __forceinline__ void multiply_tile_by_threads(float (&sum)[Config::n / 2], WgmmaRing<Config> *at, int group,
                                                         int steps) {
  using X = typename Config::X;
  const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const X of_x(at->x(), group * 64 + thread / 32 * 16, lane);
    float x[Config::instructions][4];
    at->wait_full();
#pragma unroll
    for (int i = 0; i < Config::instructions; ++i) {
#pragma unroll
      for (int r = 0; r < 4; ++r) x[i][r] = ptx::load_shared(of_x.at(r) + i * X::step_bytes);
      X::arrange(x[i], lane);
    }
    ptx::wgmma_fence();
    const uint64_t of_y = Config::descriptor_y(at->y(), 0);
#pragma unroll
    for (int i = 0; i < Config::instructions; ++i) {
      ptx::wgmma_tf32<Config::n>(sum, x[i], of_y + (i * Config::Y::step_bytes >> 4), i > 0 || s > 0 ? 1 : 0);
    }
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    at->release(at->empty());
    at->advance();
  }
}

// Products of a scheme: plane x(r) of x times plane y(r) of y. The first `low` are summed separately and multiplied by
// low_scale.
template <int kPlanes>
struct Promotion;
template <>
struct Promotion<1> {
  static constexpr int count = 1;
};
template <>
struct Promotion<2> {
  static constexpr int count = 3, low = 2;
  static constexpr float low_scale = 0x1p-11f;
  __device__ __forceinline__ static constexpr int x(int r) { return r == 0; }
  __device__ __forceinline__ static constexpr int y(int r) { return r == 1; }
};
template <>
struct Promotion<3> {
  static constexpr int count = 6, low = 0;
  static constexpr float low_scale = 1;
  __device__ __forceinline__ static constexpr int x(int r) { return 0x001012 >> 4 * r & 15; }
  __device__ __forceinline__ static constexpr int y(int r) { return 0x010210 >> 4 * r & 15; }
};

// multiply_tile() for several planes. After every kPromoteDepth of k the sums are promoted: added in FP32 outside of
// the tensor cores.
template <class Config>
__device__ __forceinline__ void multiply_planes(float (&sum)[Config::halves][Config::n / 2], WgmmaRing<Config> *at,
                                                int group, int steps) {
  using Products = Promotion<Config::planes>;
  constexpr int kTogether = kPromoteDepth / Config::depth;
#pragma unroll
  for (int h = 0; h < Config::halves; ++h) {
#pragma unroll
    for (int i = 0; i < Config::n / 2; ++i) sum[h][i] = 0;
  }
  float part[Config::n / 2];
#pragma unroll 1
  for (int s = 0; s < steps; s += kTogether) {
    const WgmmaRing<Config> first = *at;
    // Computes products [from, to) of all stages between two promotions.
    const auto multiply = [&](int half, int from, int to) {
      WgmmaRing<Config> stage = first;
#pragma unroll
      for (int g = 0; g < kTogether; ++g) {
        if (half == 0 && from == 0) stage.wait_full();
        ptx::wgmma_fence();
#pragma unroll
        for (int r = from; r < to; ++r) {
          multiply_stage<Config>(part, stage.x() + offset_x<Config>(group, half, Products::x(r)),
                                 Config::descriptor_y(stage.y(), Products::y(r)), g == 0 && r == from);
        }
        stage.advance();
      }
      ptx::wgmma_commit();
      ptx::wgmma_wait<0>();
      return stage;
    };
#pragma unroll
    for (int h = 0; h < Config::halves; ++h) {
      if constexpr (Products::low > 0) {
        multiply(h, 0, Products::low);
#pragma unroll
        for (int i = 0; i < Config::n / 2; ++i) sum[h][i] = fmaf(part[i], Products::low_scale, sum[h][i]);
      }
      *at = multiply(h, Products::low, Products::count);
      if (h + 1 == Config::halves) {
        WgmmaRing<Config> stage = first;
#pragma unroll
        for (int g = 0; g < kTogether; ++g) {
          stage.release(stage.empty());
          stage.advance();
        }
      }
#pragma unroll
      for (int i = 0; i < Config::n / 2; ++i) sum[h][i] += part[i];
    }
  }
}

}  // namespace libsgemm::cuda
