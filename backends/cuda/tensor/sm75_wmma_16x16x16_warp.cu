// C = alpha op(A) op(B) + beta C of 16-bit matrices on tensor cores, as in the textbooks: step 1 of the 16-bit ladder
// (docs/kernels/mma.md). A warp computes a tile of 16 x 16. Tiles go through shared memory, element by element, because
// load_matrix_sync() requires aligned pointers and cannot handle edges.
//
// Source: NVIDIA, CUDA C++ Programming Guide (warp matrix functions).
//
// Requires: gemm of FP16 (sm_75) or bfloat16 (sm_80) operands.
#include "gpu/kernels.h"
#include "tensor_kernel.h"
#include "wmma.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 16, 16, 16, 16, 16> {
  static constexpr int blocks = 32;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.03;
};

}  // namespace

template <Number kNumber, typename Operands>
__global__ void __launch_bounds__(Config::threads)
    sm75_wmma_16x16x16_warp(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p,
                            bool along_a, bool along_b) {
  if constexpr (kHasNumber<kNumber>) {
    using Element = typename WmmaElement<kNumber>::Memory;
    constexpr int kPitch = 24, kPatch = 20;
    __shared__ __align__(32) uint16_t tile_a[16 * kPitch], tile_b[16 * kPitch];
    __shared__ __align__(32) float patch[16 * kPatch];
    const int lane = static_cast<int>(threadIdx.x);
    const TilePosition<Config> at(p);
    const int64_t row = at.row(), column = at.column();
    const uint16_t *a = global(static_cast<const uint16_t *>(operands.a(blockIdx.z)));
    const uint16_t *b = global(static_cast<const uint16_t *>(operands.b(blockIdx.z)));
    using namespace nvcuda::wmma;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    for (int64_t k0 = 0; k0 < p.k; k0 += 16) {
      for (int e = lane; e < 256; e += 32) {
        const int x = e % 16, y = e / 16;
        const int outer_a = along_a ? y : x, k_a = along_a ? x : y, outer_b = along_b ? y : x, k_b = along_b ? x : y;
        const bool in_a = row + outer_a < p.m && k0 + k_a < p.k, in_b = column + outer_b < p.n && k0 + k_b < p.k;
        const int64_t at_a = along_a ? (row + outer_a) * p.lda + k0 + k_a : (k0 + k_a) * p.lda + row + outer_a;
        const int64_t at_b = along_b ? (column + outer_b) * p.ldb + k0 + k_b : (k0 + k_b) * p.ldb + column + outer_b;
        tile_a[outer_a * kPitch + k_a] = in_a ? a[at_a] : 0;
        tile_b[outer_b * kPitch + k_b] = in_b ? b[at_b] : 0;
      }
      sync_warp();
      fragment<matrix_a, 16, 16, 16, Element, row_major> fragment_a;
      fragment<matrix_b, 16, 16, 16, Element, col_major> fragment_b;
      load_matrix_sync(fragment_a, reinterpret_cast<const Element *>(tile_a), kPitch);
      load_matrix_sync(fragment_b, reinterpret_cast<const Element *>(tile_b), kPitch);
      mma_sync(sum, fragment_a, fragment_b, sum);
      sync_warp();
    }
    store_matrix_sync(patch, sum, kPatch, mem_col_major);
    sync_warp();
    const OutputTile out = output_tile(operands, p, at);
    for (int e = lane; e < 256; e += 32) {
      const int i = e % 16, j = e / 16;
      if (i < out.rows && j < out.columns) out.write(out.c + j * out.ld + i, out.alpha * patch[j * kPatch + i]);
    }
  }
}

namespace {

bool supports(const GemmDesc &desc, int index) {
  return desc.routine == Routine::gemm && desc.type != Type::f32 && has_tensor_cores(desc.type, index) &&
         tiles_fit<Config>(desc);
}

double cost(const GemmDesc &desc, int index) {
  return kForcedOnly + gemm_seconds(device(index), desc, tensor_tiling<Config>(index, 2816, {Config::peak_fraction}));
}

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  const TileProblem p = tile_problem<Config>(desc);
  return for_chunks(desc, launch, kMostProducts, [&](const auto &operands, int64_t count) {
    using Operands = std::decay_t<decltype(operands)>;
    auto *kernel = desc.type == Type::f16 ? sm75_wmma_16x16x16_warp<Number::f16, Operands>
                                          : sm75_wmma_16x16x16_warp<Number::bf16, Operands>;
    return launch_kernel(kernel, tile_grid(p, count), dim3(Config::threads), 0, launch, error, operands, p,
                         along_k_a(desc), along_k_b(desc));
  });
}

}  // namespace

KernelList sm75_wmma_16x16x16_warp() {
  Kernel kernel = {"sm75_wmma_16x16x16_warp", LIBSGEMM_MATH_FP32, prepare_fixed<supports, cost>, enqueue};
  kernel.truncates = true;
  return kernel;
}

}  // namespace libsgemm::cuda
