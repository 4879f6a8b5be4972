// C = alpha op(A) op(B) + beta C, on any GPU from sm_80, where C has few tiles and k is deep: blocks share the k of a
// tile.
//
// Each slice of a tile's k-tiles has a block of its own, which accumulates it into the workspace. split_k_sum() then
// adds the slices in their order and applies alpha and beta. The number of slices depends on the cost model (split_k.h)
// and the shape alone, so results are bitwise the same run after run.
//
// Source: slicing k is folklore; the partial wave that it fills is discussed in Osama et al., "Stream-K" (PPoPP 2023).
//
//   tile of C: 128 x 64           warp: 64 x 32 = 8 x 4 lanes      thread: 8 x 8
//   +--------+--------+           first row 4 r, column 4 c        2 groups of 4 rows, 32 apart
//   | warp 0 | warp 2 |           r = 2 (lane / 8) + lane % 2      2 groups of 4 columns, 16 apart
//   +--------+--------+           c = lane / 2 % 4
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 12288 s: A at 0 (16 rows of 128 floats), B at 8192 (16 rows of 64). Rows of an
// operand that is contiguous along k are 4 floats longer; a stage then has up to 12800.
//
// Requires: gemm of FP32; sm_80; one product or a strided batch; more than one slice by the cost model; a workspace of
// 4 * slices * n * (m rounded up to a multiple of 4) bytes a product, at most 32 MiB; any transposition, alignment and
// size.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; thread_m, thread_n of a thread; lane_rows of a warp;
// warp_rows of a block; stages of shared memory; blocks, which with the threads bounds the registers; peak_fraction for
// the cost.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 7680 x 64 x 2560 NN, NT, TN, TT 35, 37, 31, 32; cuBLAS 13.1 38,
// 37, 36, 35.
#include "cuda/tiles/multistage.cuh"
#include "cuda/tiles/tile_row.h"
#include "gpu/kernels.h"
#include "gpu/tiles/split_k_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 64, 16, 8, 8, 8, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 3;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.74;
  static constexpr Fitted fitted = Fitted::sm80_ffma_128x64x16_split_k;
};

}  // namespace

LIBSGEMM_MULTISTAGE_ROW(sm80_ffma_128x64x16_split_k, split_k_kernel)

}  // namespace libsgemm::cuda
