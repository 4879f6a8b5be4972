// C = alpha op(A) op(B) + beta C on any GPU, with loads and stores of 16 bytes: step 5 of the ladder
// (docs/kernels/ffma.md). Unaligned columns are read element by element.
//
// Source: Volkov, Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra" (SC 2008); Nath, Tomov, Dongarra, "An
// Improved MAGMA GEMM for Fermi GPUs" (2010).
//
//   tile of C: 128 x 128                      warp: 64 x 32 = 8 x 4 lanes     thread: 8 x 8
//   +--------+--------+--------+--------+     first row 4 r, column 4 c       2 groups of 4 rows, 32 apart
//   | warp 0 | warp 2 | warp 4 | warp 6 |     r = 2 (lane / 8) + lane % 2     2 groups of 4 columns, 16 apart
//   +--------+--------+--------+--------+     c = lane / 2 % 4
//   | warp 1 | warp 3 | warp 5 | warp 7 |
//   +--------+--------+--------+--------+     other shapes: gpu/tiles/tile.h
//
// Requires: gemm of FP32.
#include "gpu/kernels.h"
#include "multiply.cuh"
#include "operand_tile.cuh"
#include "tile_kernel.h"

namespace libsgemm::cuda {

namespace {

struct Config : TileShape<128, 128, 8, 8, 8, 8, 2> {
  static constexpr int min_arch = 75;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.45;
};

}  // namespace

template <Fetch KindA, Fetch KindB>
struct Layout {
  using A = OperandTile<Config::tile_m, Config::tile_k, Config::threads, KindA>;
  using B = OperandTile<Config::tile_n, Config::tile_k, Config::threads, KindB>;
  static constexpr int floats = A::floats + B::floats;
  static constexpr int bytes = 4 * (floats > kStoreFloats<Config> ? floats : kStoreFloats<Config>);
};

template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void __launch_bounds__(Config::threads, resident_blocks(Config::blocks))
    sm75_ffma_128x128x8_vectorised(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  using A = typename Layout<KindA, KindB>::A;
  using B = typename Layout<KindA, KindB>::B;
  using Place = ThreadPlace<Config>;
  constexpr int kStrideA = Config::lane_rows * 4, kStrideB = Config::lane_columns * 4;
  float *tile_a = dynamic_shared(), *tile_b = tile_a + A::floats;
  const TilePosition<Config> at(p);
  const TileRange range(p, Config::tile_k);
  A a(operands.a(blockIdx.z), p.lda, at.row(), p.m - at.row(), range);
  B b(operands.b(blockIdx.z), p.ldb, at.column(), p.n - at.column(), range);
  const Place place;
  float sum[Config::thread_m][Config::thread_n] = {};
  int valid_a = a.first_count, valid_b = b.first_count, depth = range.first_depth;
#pragma unroll 1
  for (int t = 0; t < range.count; ++t) {
    float staged_a[A::copies][A::width], staged_b[B::copies][B::width];
    a.load(staged_a, valid_a);
    b.load(staged_b, valid_b);
    valid_a = a.count;
    valid_b = b.count;
    a.advance(depth);
    b.advance(depth);
    depth = Config::tile_k;
    __syncthreads();
    a.store(tile_a, staged_a);
    b.store(tile_b, staged_b);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < Config::tile_k; ++k) {
      float fragment_a[Config::thread_m], fragment_b[Config::thread_n];
      load_fragment<Config::thread_m, 4, kStrideA>(fragment_a, tile_a + k * A::pitch + place.row());
      load_fragment<Config::thread_n, 4, kStrideB>(fragment_b, tile_b + k * B::pitch + place.column());
      multiply<Config>(sum, fragment_a, fragment_b);
    }
  }
  store_tile<Config>(sum, output_tile(operands, p, at), tile_a);
}

namespace {

struct DeviceCode : TileCode<Config, Engine::registers> {
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &sm75_ffma_128x128x8_vectorised<KindA, KindB, Operands>;
  }
  template <Fetch KindA, Fetch KindB>
  static constexpr size_t shared_bytes() {
    return Layout<KindA, KindB>::bytes;
  }
};

}  // namespace

KernelList sm75_ffma_128x128x8_vectorised() { return ladder_kernel<DeviceCode>("sm75_ffma_128x128x8_vectorised"); }

}  // namespace libsgemm::cuda
