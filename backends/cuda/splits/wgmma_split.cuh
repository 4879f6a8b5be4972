// Products of split operands (splits.h) by wgmma: FP32-level sums from several tensor-core products, in the engine of
// wgmma/wgmma_engine.cuh, which moves the sums off the tensor cores. Each part of a stage is read from global memory
// once, whatever the number of products.
//
// x is n, y is m: a warpgroup has 128 columns of C and 128 rows, which is one block of the guard.
#pragma once

#include "split_row.h"
#include "splits.cuh"
#include "wgmma/wgmma_engine.cuh"
#include "wgmma/wgmma_launch.h"
#include "wgmma/wgmma_row.h"

namespace libsgemm::cuda {

// ---- What a sum stands for: sum * 2^-(s of its row + s of its column)

struct WgmmaSplitProblem {
  WgmmaProblem product;
  const uint32_t *most_x, *most_y;
  int64_t product_most_x, product_most_y;
  Guard guard;
};

struct SplitTileFinish {
  bool wanted;
  const uint32_t *most_x, *most_y;

  __device__ __forceinline__ int row(int x) const { return scale_of(__ldg(most_x + x)); }
  __device__ __forceinline__ int column(int y) const { return scale_of(__ldg(most_y + y)); }
  // Most exponents can be applied at once.
  __device__ __forceinline__ float value(float sum, int row, int column) const {
    const int s = row + column;
    if (s > -127 && s < 127) return sum * __uint_as_float(static_cast<uint32_t>(127 - s) << 23);
    return PowerOfTwo(max(-252, -s)).times(sum);
  }
};

struct SplitFinish {
  const WgmmaSplitProblem &p;

  __device__ __forceinline__ SplitTileFinish operator()(int product, int x, int y) const {
    const bool inside = x < p.product.x && y < p.product.y;
    return {inside && !p.guard(product, y / kOuterPad, x / kOuterPad), p.most_x + product * p.product_most_x,
            p.most_y + product * p.product_most_y};
  }
};

// ---- The launch: SplitRow::enqueue

template <Number kNumber, int kPlanes, int kStages>
using SplitShape = WgmmaShape<kNumber, ptx::AlongK<64>, ptx::AlongK<64>, 2, 128, 32, kStages, 2, kPlanes>;

using WgmmaSplitKernel = void (*)(WgmmaMaps, WgmmaSplitProblem);

inline libsgemm_status_t describe_splits(const Splits &s, int64_t k, int planes, const uint32_t (&box)[2],
                                         uint32_t swizzle, int64_t products, const Launch &launch, TensorMap *map,
                                         Error *error) {
  TensorBoxes boxes = {};
  boxes.base = s.base;
  boxes.element_bytes = 2;
  const uint64_t sizes[] = {static_cast<uint64_t>(k), static_cast<uint64_t>(s.rows), static_cast<uint64_t>(planes),
                            static_cast<uint64_t>(products)};
  std::copy_n(sizes, 4, boxes.sizes);
  boxes.strides[0] = static_cast<uint64_t>(s.ld) * 2;
  boxes.strides[1] = static_cast<uint64_t>(s.split_bytes);
  boxes.strides[2] = static_cast<uint64_t>(s.product_bytes);
  boxes.box[0] = box[0], boxes.box[1] = box[1], boxes.box[2] = static_cast<uint32_t>(planes), boxes.box[3] = 1;
  boxes.swizzle = swizzle;
  return encode(boxes, launch, map, error);
}

template <class Shape, WgmmaSplitKernel kKernel>
libsgemm_status_t enqueue_wgmma_split(const GemmDesc &panel, const Splits &a, const Splits &b, const Guard &guard,
                                      const Launch &launch, Error *error) {
  const WgmmaInstance i = wgmma_instance<Shape>(nullptr);
  const int64_t k = ceil_div(panel.k, kPromoteDepth) * kPromoteDepth;
  WgmmaMaps maps;
  libsgemm_status_t status =
      describe_splits(b, k, Shape::planes, i.x_box, i.x_swizzle, panel.batch_count, launch, &maps.x, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  status = describe_splits(a, k, Shape::planes, i.y_box, i.y_swizzle, panel.batch_count, launch, &maps.y, error);
  if (status != LIBSGEMM_SUCCESS) return status;

  WgmmaSplitProblem q = {};
  WgmmaProblem &p = q.product;
  p.x = static_cast<int>(panel.n), p.y = static_cast<int>(panel.m);
  p.tiles_x = static_cast<int>(ceil_div(p.x, i.cluster_x)), p.tiles_y = static_cast<int>(ceil_div(p.y, i.cluster_y));
  p.tiles = p.tiles_x * p.tiles_y;
  p.k_steps = static_cast<int>(k / i.depth);
  p.slices = 1;
  p.products = static_cast<int>(panel.batch_count);
  p.moves_x = p.moves_y = 1;
  p.alpha = panel.alpha, p.beta = panel.beta;
  p.c = panel.c, p.c_elements = panel.stride_c;
  p.step_x = panel.ldc, p.step_y = 1;
  p.vectors = (reinterpret_cast<uintptr_t>(p.c) % 8 | static_cast<uint64_t>(p.step_x | p.c_elements) % 2) == 0;
  status = describe_boxes(i, p.products, launch, &p, &maps.c, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  q.most_x = b.most, q.most_y = a.most;
  q.product_most_x = b.product_most, q.product_most_y = a.product_most;
  q.guard = guard;
  return launch_wgmma_kernel(kKernel, i, p, launch, error, maps, q);
}

// What split_row.cpp knows of a row.
template <class Shape, WgmmaSplitKernel kKernel>
SplitRow wgmma_split_row(Scheme scheme, double peak_fraction) {
  return {scheme,
          Shape::planes,
          Promotion<Shape::planes>::count,
          {Shape::tile_y, Shape::tile_x, kWgmmaThreads, 1, {peak_fraction}},
          Shape::shared_bytes,
          enqueue_wgmma_split<Shape, kKernel>,
          true};
}

}  // namespace libsgemm::cuda
