// gfx_fma_128x128x8_ping_pong for FP16 or bfloat16 operands in FP32 arithmetic: they are converted, exactly, when they
// are stored in LDS (widened.h). Also for syrk (gpu/level3/triangle.h).
//
// Requires: gemm or syrk of FP16 or bfloat16 operands; any transposition, alignment and size. gemm: any batch; syrk: a
// strided batch.
#include "gpu/kernels.h"
#include "hip/level3/triangle.h"
#include "valu.h"
#include "valu_kernel.h"
#include "widened.h"
#include "widened_kernel.h"

namespace libsgemm::hip {

namespace {

struct Config : TileShape<128, 128, 8, 8, 8, 8, 2> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx_fma_128x128x8_widened;
};

}  // namespace

template <Type kType, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx_fma_128x128x8_widened(const __grid_constant__ Operands operands, const __grid_constant__ WidenedProblem p) {
  const TilePosition<Config> at(p);
  const TileRange range(p, Config::tile_k);
  WidenedStream<Config::tile_m, Config::tile_k, Config::threads, kType> a(operands.a(blockIdx.z), p.lda, p.a_along_k,
                                                                          at.row(), p.m - at.row(), range.first_k);
  WidenedStream<Config::tile_n, Config::tile_k, Config::threads, kType> b(
      operands.b(blockIdx.z), p.ldb, p.b_along_k, at.column(), p.n - at.column(), range.first_k);
  ping_pong<Config>(a, b, at, range, operands, p);
}

template <Type kType, Fetch Kind>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx_fma_128x128x8_widened_triangle(const __grid_constant__ StridedOperands operands,
                                       const __grid_constant__ TriangleProblem p) {
  using A = Directed<WidenedStream<Config::tile_m, Config::tile_k, Config::threads, kType>, Kind == Fetch::inner>;
  using B = Directed<WidenedStream<Config::tile_n, Config::tile_k, Config::threads, kType>, Kind == Fetch::inner>;
  ping_pong_triangle<Config, A, B, false>(operands, p);
}

namespace {

struct DeviceCode : ValuCode<Config> {
  static constexpr bool has_vectors = false, has_elements = true;
  template <Type kType, typename Operands>
  static auto kernel() {
    return &gfx_fma_128x128x8_widened<kType, Operands>;
  }
  template <Type kType, Fetch Kind>
  static auto triangle_kernel() {
    return &gfx_fma_128x128x8_widened_triangle<kType, Kind>;
  }
};

}  // namespace

KernelList gfx_fma_128x128x8_widened() { return widened_kernel<DeviceCode>("gfx_fma_128x128x8_widened"); }
KernelList gfx_fma_128x128x8_widened_triangle() {
  return widened_triangle_kernel<DeviceCode>("gfx_fma_128x128x8_widened_triangle");
}

}  // namespace libsgemm::hip
