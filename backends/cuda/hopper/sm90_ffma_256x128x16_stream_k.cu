// C = alpha op(A) op(B) + beta C on sm_90 for a C of many tiles: every multiprocessor multiplies for the same time.
//
// Differences to the previous kernel of the ladder (sm80_ffma_128x128x16_multistage):
//   - A producer warp issues TMA copies; the eight consumer warps only multiply, and have up to 224 registers a thread.
//   - Blocks are persistent. The last rounds of tiles are cut along k into equal shares (stream-K). A block that begins
//     a tile waits for the partial sums of the blocks that continue it, and adds them in the order of k. So results are
//     bitwise reproducible.
//   - The registers of the inner loop are reassigned in the machine code (reassign_registers.py).
//
// An operand along k is multiplied without a transposition: a load takes four k of one row instead of four rows at one
// k. This is possible for one operand only: registers of two would be in the same bank, which depends on k. An
// unaligned operand along k is copied as four views, each of every fourth row and aligned by its own shift along k. So
// a view belongs to a pair of warps, which reads B earlier by the shift.
//
// Source: Osama et al., "Stream-K" (PPoPP 2023), for the shares; CUDA C++ Programming Guide, for TMA and
// register reallocation; Gray, "maxas: SGEMM", for assigning registers by bank.
//
//   tile of C: 256 x 128                warp: 64 x 64 = 4 x 8 lanes      thread: 16 x 8
//   +---------+---------+               first row 4 r, column 4 c        4 groups of 4 rows, 16 apart
//   | warp 0  | warp 4  |               r = lane / 2 % 4                 2 groups of 4 columns, 32 apart
//   |   ...   |   ...   |               c = 2 (lane / 8) + lane % 2
//   | warp 3  | warp 7  |               A along k: first row r           16 rows, 4 apart
//   +---------+---------+               and unaligned: row w + 4 r,      16 rows, 16 apart
//   warps 8 to 11 supply                w = warp % 4
//
// Shared memory, bytes: stage s of 5 at 26112 s: A at 0 and 8192 (boxes of 16 rows of 128 floats), B at 16384; or A
// along k at 0 (256 rows of 16 floats, swizzled), B at 17920, from 16384 on the three rows of B before the k-tile; from
// 130560 on the second ring, 3 stages of 30720, for operands that are transposed or aligned; then 16 barriers.
//
// Requires: gemm of FP32; sm_90 (its own features, 90a); one product, m, n, k of at least 4, any transposition,
// alignment and ld.
//
// Parameters (StreamKShape): tile_m, tile_n, tile_k of a block; stages of both rings.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): NT 4096 x 4096 x 4096 56.1, 8192 x 8192 x 8192 56.3; cuBLAS
// 13.1 52.1, 53.4; FFMA alone 66.1. 4096 NN, TN, TT 55.7, 52.2, 55.6, and before A was read along k 49.5, 48.9, 48.8.
#include "gpu/kernels.h"
#include "reassigned.h"
#include "stream_k.cuh"
#include "stream_k_row.h"

namespace libsgemm::cuda {

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_stream_k(const __grid_constant__ StreamKOperands operands,
                                  const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::stream, false, false>(operands, p);
#endif
}

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_stream_k_swapped(const __grid_constant__ StreamKOperands operands,
                                          const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::stream, true, false>(operands, p);
#endif
}

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_stream_k_along_k(const __grid_constant__ StreamKOperands operands,
                                          const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::stream, false, true>(operands, p);
#endif
}

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_stream_k_along_k_swapped(const __grid_constant__ StreamKOperands operands,
                                                  const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::stream, true, true>(operands, p);
#endif
}

const StreamKKernel &stream_k_kernel() {
  using Function = StreamKKernel::Function;
  static const StreamKKernel kernel = {
      {{reassigned<Function>("sm90_ffma_256x128x16_stream_k", sm90_ffma_256x128x16_stream_k),
        reassigned<Function>("sm90_ffma_256x128x16_stream_k_swapped", sm90_ffma_256x128x16_stream_k_swapped)},
       {reassigned<Function>("sm90_ffma_256x128x16_stream_k_along_k", sm90_ffma_256x128x16_stream_k_along_k),
        reassigned<Function>("sm90_ffma_256x128x16_stream_k_along_k_swapped",
                             sm90_ffma_256x128x16_stream_k_along_k_swapped)}}};
  return kernel;
}

namespace {

libsgemm_status_t launch_row(const GemmDesc &desc, const Launch &launch, Error *error) {
  const StreamKPlan plan = stream_k_plan(desc, Sharing::stream, launch.device);
  return launch_stream_k(desc, plan, stream_k_kernel(), launch, error);
}

}  // namespace

Kernel sm90_ffma_256x128x16_stream_k() {
  Kernel kernel = stream_k_row<Sharing::stream>("sm90_ffma_256x128x16_stream_k", launch_row);
  kernel.invariant = true;  // plan_stream() cuts no tiles then
  return kernel;
}

}  // namespace libsgemm::cuda
