// As gfx_fma_128x128x8_ping_pong.hip, with 16 x 8 elements a thread (half waves of 128 x 32), on AMD GPUs with enough
// registers. Why: docs/kernels/amd.md.
//
// Requires: gemm of FP32; CDNA2, CDNA3 or RDNA2; any transposition, alignment, size and batch. No split_k.
#include "gpu/kernels.h"
#include "valu.h"
#include "valu_kernel.h"

namespace libsgemm::hip {

namespace {

// Compilers for gfx906 and gfx908 have 256 registers; some for gfx11 and later spill hundreds.
#if defined(__gfx906__) || defined(__gfx908__) || defined(__GFX11__) || defined(__GFX12__)
constexpr bool kHasRegisters = false;
#else
constexpr bool kHasRegisters = true;
#endif

struct Config : TileShape<256, 128, 8, 16, 8, 8, 2> {
  static constexpr int blocks = 1;
  static constexpr Fitted fitted = Fitted::gfx_fma_256x128x8_ping_pong;
};

}  // namespace

template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx_fma_256x128x8_ping_pong(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  if constexpr (kHasRegisters) ping_pong<Config, KindA, KindB>(operands, p);
}

namespace {

struct DeviceCode : ValuCode<Config> {
  static bool runs_on(int index) {
    const Family family = device(index).family;
    return family == Family::cdna2 || family == Family::cdna3 || family == Family::rdna2 || family == Family::foreign;
  }
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx_fma_256x128x8_ping_pong<KindA, KindB, Operands>;
  }
};

}  // namespace

KernelList gfx_fma_256x128x8_ping_pong() { return chain_kernel<DeviceCode>("gfx_fma_256x128x8_ping_pong"); }

}  // namespace libsgemm::hip
