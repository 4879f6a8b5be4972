// syrk, syr2k and gemmtr, products of which only one triangle of C is computed, on any AMD GPU: 64 x 64 tiles.
//
// gpu/level3/triangle.h describes which tiles there are, valu.h the loop. The picture and the map of shared memory are
// those of gfx_fma_64x64x8_ping_pong.
//
// Requires: syrk, syr2k or gemmtr of FP32, one or a strided batch; any size, stride and alignment.
//
// Not yet run on AMD hardware.
#include "triangle_row.h"

namespace libsgemm::hip {
namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int blocks = 4;  // resident on a compute unit
  static constexpr Fitted fitted = Fitted::gfx_fma_64x64x8_ping_pong;
};

struct Row : ValuRow<Config> {};

}  // namespace

LIBSGEMM_HIP_TRIANGLE_ROW(gfx_fma_64x64x8_triangle, ping_pong_triangle)

}  // namespace libsgemm::hip
