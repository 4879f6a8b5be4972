// sm80_ffma_256x64x16_thin: C = alpha op(A) op(B) + beta C with a side of about 64 and a k that is not long.
//
// Two blocks of 4 warps for each multiprocessor, with as many accumulators as registers hold: a long side of 65536 is
// one wave, and each loaded element of Y is used for 256 rows. Tiles are not shared: their partial sums would be too
// much traffic.
//
// Source: asynchronous copies (NVIDIA, CUDA C++ Programming Guide, "Asynchronous Data Copies"). Ring and shared memory
// are described in thin.cuh and thin_copy.cuh.
//
//   tile of R: 256 x 64      warp w: rows 64 w to 64 w + 63, 8 x 4 lanes      thread: 8 rows x 16 columns
//   +--------+               first row 4 r, column 4 c                        2 groups of 4 rows, 32 apart
//   | warp 0 |               r = 2 (lane / 8) + lane % 2                      4 groups of 4 columns, 16 apart
//   |  ...   |               c = lane / 2 % 4
//   | warp 3 |
//   +--------+
//
// Shared memory, bytes: slot s of 4 at 21760 s, less where an operand is not contiguous along k: X at 0 (256 rows of 16
// floats, and 16 bytes after every fourth: 17408; 16384 if not along k), Y after it (64 rows: 4352; 4096); 87040 in
// all.
//
// Requires: gemm of FP32; sm_80 with 85 KiB of shared memory; one product or a strided batch; min(m, n) <= 128; any
// transposition, alignment and leading dimension; fewer than 2^31 k-tiles in all.
//
// Parameters (Shape): warps_wide x warps_narrow warps of a tile; narrow_thread columns of a thread; k_groups; chunk and
// stages of the ring; resident blocks that registers must allow. (Row): narrow_most, share_tiles,
// start_seconds and ffma_share (thin.h).
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 65536 x 64 x 64 NN, NT, TN, TT 25.3, 26.2, 20.2,
// 20.3; cuBLAS 13.1 26.1, 26.4, 21.7, 21.6.
#include "gpu/kernels.h"
#include "thin_row.h"

namespace libsgemm::cuda {
namespace {

struct Traits {
  struct Shape {
    static constexpr int warps_wide = 4, warps_narrow = 1, narrow_thread = 16, k_groups = 1;
    static constexpr int chunk = 16, stages = 4, resident = 2;
  };
  static constexpr int narrow_most = 128;
  static constexpr Shared shared = Shared::sm80_ffma_256x64x16_thin;
  static constexpr bool share_tiles = false;
  static constexpr double start_seconds = 0.2e-6;
  static constexpr double ffma_share[2][2] = {{0.72, 0.69}, {0.53, 0.53}};
};

}  // namespace

LIBSGEMM_THIN_ROW(sm80_ffma_256x64x16_thin)

}  // namespace libsgemm::cuda
