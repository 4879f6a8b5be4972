// C = alpha op(A) op(B) + beta C in the math mode tf32, on tensor cores from sm_80, of FP32 operands that are
// contiguous along k: mma.sync, fragments by ldmatrix from swizzled shared memory, asynchronous copies several k-tiles
// ahead. Elements are rounded to the nearest TF32 number, ties to even, when a warp reads its fragments.
//
// It is sm80_mma_256x128x64_multistage for floats: a chunk holds 4 of them, and an instruction multiplies a k of 8.
// ldmatrix cannot transpose floats; sm80_mma_256x128x32_packed therefore copies operands that are not contiguous along
// k.
//
// Sources: NVIDIA, PTX ISA (mma.sync, ldmatrix and the places of their elements); the loop is described in
// tensor_multistage.cuh, the swizzle in tensor_tile.cuh, the fragments in mma.cuh.
//
//   tile of C: 256 x 128
//   +--------+--------+
//   | warp 0 | warp 4 |
//   +--------+--------+
//   | warp 1 | warp 5 |      warp: 64 x 64 = 4 x 8 blocks of 16 (columns of C) x 8 (rows),
//   +--------+--------+      as in sm80_mma_256x128x64_multistage
//   | warp 2 | warp 6 |
//   +--------+--------+
//   | warp 3 | warp 7 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 49152 s: A at 0 (256 rows of 32 elements), B at 32768 (128 such rows). 147456
// in all, which sm_86, sm_89 and sm_120 do not have. At the end 33792 for accumulators: 32 columns of 264 floats.
//
// Requires: gemm of FP32, A transposed and B not, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; sm_80; 147456 bytes of shared memory a block. Any size.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; warp_m, warp_n of a warp; stages of shared memory; blocks,
// which with the threads bounds the registers; peak_fraction for the cost, relative to the rate of 16-bit numbers.
//
// Measured (H100, 1710 to 1980 MHz, TFLOP/s; cuBLAS 13.1 in TF32 in the same run in brackets): TN 2048 190 (361), 4096
// 204 (392), 8192 186 (393). The rounding limits it: with operands rounded beforehand 228 and 236, with cvt.rna and
// k-tiles of 16 167 and 169.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_multistage.cuh"
#include "tensor_row.h"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::tf32, 256, 128, 32, 64, 64> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 1;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.3;
};

// MmaEngine that rounds its fragments, of floats, to TF32.
template <class Config, class TileA, class TileB>
struct RoundingEngine : MmaEngine<Config, TileA, TileB> {
  using Base = MmaEngine<Config, TileA, TileB>;
  using Fragments = typename Base::Fragments;
  using Base::Base;

  __device__ __forceinline__ void load(Fragments *f, int offset_a, int offset_b, int step) const {
    Base::load(f, offset_a, offset_b, step);
#pragma unroll
    for (int i = 0; i < Base::blocks_x; ++i) round(f->x[i]);
#pragma unroll
    for (int j = 0; j < Base::blocks_y / 2; ++j) round(f->y[j]);
  }

 private:
  __device__ __forceinline__ static void round(uint32_t (&f)[4]) {
#pragma unroll
    for (int r = 0; r < 4; ++r) f[r] = ptx::round_to_tf32(f[r]);
  }
};

using Product = TensorProduct<Config, Number::tf32, MmaTileOf, RoundingEngine, true, true>;

}  // namespace

__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm80_mma_256x128x32_multistage(const __grid_constant__ StridedOperands operands,
                                   const __grid_constant__ TileProblem p) {
  tensor_multistage<Product>(operands, p);
}

namespace {

struct Row {
  using Config = cuda::Config;
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_TF32;
  template <Number kNumber, bool AlongA, bool AlongB>
  static TensorInstance instance() {
    return {&sm80_mma_256x128x32_multistage, Product::bytes};
  }
};

}  // namespace

Kernel sm80_mma_256x128x32_multistage() {
  Kernel kernel = tensor_kernel<Row>("sm80_mma_256x128x32_multistage");
  kernel.supports = [](const GemmDesc &desc, int device) {
    return along_k_a(desc) && along_k_b(desc) && TensorTiles<Row>::supports(desc, device);
  };
  return kernel;
}

}  // namespace libsgemm::cuda
