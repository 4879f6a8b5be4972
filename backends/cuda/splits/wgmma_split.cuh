// Products of split operands (splits.h) by wgmma, with the main loop of wgmma/wgmma_engine.cuh. x runs along n,
// y along m; a warpgroup has 128 x 128 of C, one block of the guard (splits.h). Both operands have been split before;
// wgmma_convert.cuh splits A itself.
#pragma once

#include "gpu/splits/splits_pass.h"
#include "wgmma/wgmma_engine.cuh"

namespace libsgemm::cuda {

using namespace gpu;

// ---- An accumulator represents sum * 2^-(s of its row + s of its column)

struct WgmmaSplitProblem {
  WgmmaProblem product;
  const uint32_t *most_x, *most_y;
  int64_t product_most_x, product_most_y;
  Guard guard;
};

struct SplitTileFinish : DenseFinish {
  bool wanted;
  const uint32_t *most_x, *most_y;

  __device__ __forceinline__ SplitTileFinish(bool wanted, const uint32_t *most_x, const uint32_t *most_y)
      : wanted(wanted), most_x(most_x), most_y(most_y) {}
  __device__ __forceinline__ int row(int x) const { return scale_of(__ldg(most_x + x)); }
  __device__ __forceinline__ int column(int y) const { return scale_of(__ldg(most_y + y)); }
  __device__ __forceinline__ float value(float sum, int row, int column) const { return unscaled(sum, row + column); }
};

struct SplitFinish {
  const WgmmaSplitProblem &p;

  __device__ __forceinline__ SplitTileFinish operator()(int product, int x, int y) const {
    const bool inside = x < p.product.x && y < p.product.y;
    return {inside && !p.guard(product, y / kOuterPad, x / kOuterPad), p.most_x + product * p.product_most_x,
            p.most_y + product * p.product_most_y};
  }
};

}  // namespace libsgemm::cuda
