// Host side of products of split operands by wgmma. A kernel's file defines a DeviceCode:
//
//   struct DeviceCode {
//     using Shape = SplitShape<...>;
//     static WgmmaSplitKernel kernel();  // for operands that have been split
//     template <bool kAlongK> static WgmmaSplitKernel converting_kernel();  // for A in FP32, K-major or MN-major
//     static SplitProduct product() { return wgmma_split_product<DeviceCode>(scheme, peak_fraction); }
//   };
#pragma once

#include "gpu/splits/split_kernel.h"
#include "split_rates.h"
#include "wgmma/wgmma_kernel.h"
#include "wgmma/wgmma_launch.h"
#include "wgmma_convert.cuh"

namespace libsgemm::cuda {

template <Number kNumber, int kPlanes, int kStages>
using SplitShape = WgmmaShape<kNumber, ptx::AlongK<64>, ptx::AlongK<64>, 2, 128, 32, kStages, 2, kPlanes>;

using WgmmaSplitKernel = void (*)(WgmmaMaps, WgmmaSplitProblem);

inline bool moves_a(const GemmDesc &panel) { return panel.batch == Batch::strided && panel.stride_a != 0; }

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

inline libsgemm_status_t describe_numbers(const GemmDesc &panel, const Launch &launch, TensorMap *map, Error *error) {
  const bool along_k = panel.transa != LIBSGEMM_NO_TRANS, moves = moves_a(panel);
  TensorBoxes boxes = {};
  boxes.base = panel.a;
  boxes.element_bytes = 4;
  const auto m = static_cast<uint64_t>(panel.m), k = static_cast<uint64_t>(panel.k);
  const auto column = 4 * static_cast<uint64_t>(panel.lda);
  const uint64_t sizes[] = {along_k ? k : m, along_k ? m : k, 1, moves ? static_cast<uint64_t>(panel.batch_count) : 1};
  std::copy_n(sizes, 4, boxes.sizes);
  boxes.strides[0] = boxes.strides[1] = column;
  boxes.strides[2] = moves ? 4 * static_cast<uint64_t>(panel.stride_a) : column;
  boxes.box[0] = 32, boxes.box[1] = along_k ? 128 : 32, boxes.box[2] = boxes.box[3] = 1;
  boxes.swizzle = 128;
  return encode(boxes, launch, map, error);
}

// Takes the converting kernel if A has no splits.
template <class DeviceCode>
libsgemm_status_t enqueue_wgmma_split(const GemmDesc &panel, const Splits &a, const Splits &b, const Guard &guard,
                                      const Launch &launch, Error *error) {
  using Shape = typename DeviceCode::Shape;
  WgmmaInstance i = wgmma_instance<Shape>(nullptr);
  WgmmaSplitKernel kernel = DeviceCode::kernel();
  const bool converts = a.base == nullptr;
  if (converts) {
    const bool along_k = panel.transa != LIBSGEMM_NO_TRANS;
    kernel = along_k ? DeviceCode::template converting_kernel<true>() : DeviceCode::template converting_kernel<false>();
    i.shared_bytes = ConvertShape<Shape::number, Shape::planes, Shape::stages, true>::shared_bytes;
  }
  const int64_t k = ceil_div(panel.k, kPromoteDepth) * kPromoteDepth;
  WgmmaMaps maps;
  libsgemm_status_t status =
      describe_splits(b, k, Shape::planes, i.x_box, i.x_swizzle, panel.batch_count, launch, &maps.x, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  if (converts) {
    status = describe_numbers(panel, launch, &maps.y, error);
  } else {
    status = describe_splits(a, k, Shape::planes, i.y_box, i.y_swizzle, panel.batch_count, launch, &maps.y, error);
  }
  if (status != LIBSGEMM_SUCCESS) return status;

  WgmmaSplitProblem q = {};
  WgmmaProblem &p = q.product;
  p.x = static_cast<int>(panel.n), p.y = static_cast<int>(panel.m);
  p.k_steps = static_cast<int>(k / i.depth);
  p.slices = 1;
  count_tiles(i, &p);
  p.products = static_cast<int>(panel.batch_count);
  p.moves_x = true, p.moves_y = !converts || moves_a(panel);
  p.alpha = panel.alpha, p.beta = panel.beta;
  p.c = panel.c, p.c_elements = panel.stride_c;
  p.step_x = panel.ldc, p.step_y = 1;
  p.vectors = (reinterpret_cast<uintptr_t>(p.c) % 8 | static_cast<uint64_t>(p.step_x | p.c_elements) % 2) == 0;
  if (p.beta == 0) status = describe_boxes(i, p.products, launch, &p, &maps.c, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  q.most_x = b.most, q.most_y = a.most;
  q.product_most_x = b.product_most, q.product_most_y = a.product_most;
  q.guard = guard;
  return launch_wgmma_kernel(kernel, i, p, launch, error, maps, q);
}

template <class DeviceCode>
SplitProduct wgmma_split_product(Scheme scheme, double peak_fraction) {
  using Shape = typename DeviceCode::Shape;
  SplitProduct product = {scheme,
                          Shape::planes,
                          Promotion<Shape::planes>::count,
                          {Shape::tile_y, Shape::tile_x, kWgmmaThreads, 1, {peak_fraction}},
                          ConvertShape<Shape::number, Shape::planes, Shape::stages, true>::shared_bytes,
                          enqueue_wgmma_split<DeviceCode>,
                          split_rate_wgmma};
  product.convert_m = Shape::cluster_y, product.convert_n = Shape::cluster_x;
  return product;
}

}  // namespace libsgemm::cuda
