// sm75_ffma_64x48x32_thin: C = alpha op(A) op(B) + beta C with one side of about 48 and a long k.
//
// Two blocks of 4 warps for each multiprocessor. The 4 warps divide every k-tile, because 48 columns would not make
// enough warps otherwise. Their sums are added in shared memory.
//
// Source: sliced k within a block (Kerr et al., "CUTLASS: Fast Linear Algebra in CUDA C++", 2017), asynchronous copies
// (NVIDIA, CUDA C++ Programming Guide), and stream-K for tiles that are too few (Osama et al., PPoPP 2023). Ring and
// shared memory are described in thin.cuh and thin_copy.cuh.
//
//   tile of R: 64 x 48      warp: all of it, 8 x 4 lanes; a quarter of k      thread: 8 rows x 12 columns
//   +--------+              first row 4 r, column 4 c                         2 groups of 4 rows, 32 apart
//   | warps  |              r = 2 (lane / 8) + lane % 2                       3 groups of 4 columns, 16 apart
//   | 0 .. 3 |              c = lane / 2 % 4
//   +--------+
//
// Shared memory, bytes: slot s of 4 at 14784 s, less where an operand is not contiguous along k: X at 0 (64 rows of 32
// floats, and 16 bytes after every fourth: 8448; 8192 if not along k), Y after it (48 rows: 6336; 6144); 59136 in all.
// The sums of the 4 warps take 52224.
//
// Requires: gemm of FP32; 58 KiB of shared memory; one product or a strided batch; min(m, n) <= 96; any transposition,
// alignment and leading dimension; fewer than 2^31 k-tiles in all.
//
// Parameters (Shape): warps_wide x warps_narrow warps of a tile; narrow_thread columns of a thread; k_groups; chunk and
// stages of the ring; resident blocks that registers must allow. (Row): narrow_most, share_tiles,
// start_seconds and ffma_share (thin.h).
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 35 x 8457 x 2560 NN, NT, TN, TT 20.7, 21.6, 21.1,
// 20.5; cuBLAS 13.1 17.8, 18.3, 16.7, 17.9.
#include "gpu/kernels.h"
#include "thin_row.h"

namespace libsgemm::cuda {
namespace {

struct Traits {
  struct Shape {
    static constexpr int warps_wide = 1, warps_narrow = 1, narrow_thread = 12, k_groups = 4;
    static constexpr int chunk = 32, stages = 4, resident = 2;
  };
  static constexpr int narrow_most = 96;
  static constexpr Shared shared = Shared::sm75_ffma_64x48x32_thin;
  static constexpr bool share_tiles = true;
  static constexpr double start_seconds = 1.2e-6;
  static constexpr double ffma_share[2][2] = {{0.65, 0.60}, {0.57, 0.54}};
};

}  // namespace

LIBSGEMM_THIN_ROW(sm75_ffma_64x48x32_thin)

}  // namespace libsgemm::cuda
