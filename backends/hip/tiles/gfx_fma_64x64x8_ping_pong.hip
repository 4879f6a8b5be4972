// gfx_fma_128x128x8_ping_pong with 8 x 4 elements a thread (half waves of 32 x 32, 4 x 8 lanes), for products with too
// few tiles of 128 x 128.
#include "gpu/kernels.h"
#include "gpu/tiles/split_k_kernel.h"
#include "valu.h"
#include "valu_kernel.h"

namespace libsgemm::hip {

namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int blocks = 4;
  static constexpr Fitted fitted = Fitted::gfx_fma_64x64x8_ping_pong;
};

}  // namespace

template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx_fma_64x64x8_ping_pong(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  ping_pong<Config, KindA, KindB>(operands, p);
}

namespace {

struct DeviceCode : ValuCode<Config> {
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx_fma_64x64x8_ping_pong<KindA, KindB, Operands>;
  }
};

}  // namespace

KernelList gfx_fma_64x64x8_ping_pong() {
  return {chain_kernel<DeviceCode>("gfx_fma_64x64x8_ping_pong"), split_k_kernel<DeviceCode>("gfx_fma_64x64x8_split_k")};
}
}  // namespace libsgemm::hip
