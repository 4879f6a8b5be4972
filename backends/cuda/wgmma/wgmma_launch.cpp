#include "wgmma_launch.h"

#include <algorithm>
#include <climits>

namespace libsgemm::cuda {
namespace {

struct Operand {
  const void *base;
  int64_t ld, outer, k, stride_bytes;
  bool along_k;
};

libsgemm_status_t describe(const Operand &o, int element_bytes, const uint32_t (&box)[2], uint32_t swizzle,
                           int64_t products, const Launch &launch, TensorMap *map, Error *error) {
  TensorBoxes boxes = {};
  boxes.base = o.base;
  boxes.element_bytes = static_cast<uint32_t>(element_bytes);
  boxes.to_tf32 = element_bytes == 4;
  const int64_t along = o.along_k ? o.k : o.outer, across = o.along_k ? o.outer : o.k;
  const auto column = static_cast<uint64_t>(o.ld) * boxes.element_bytes;
  const uint64_t sizes[] = {static_cast<uint64_t>(along), static_cast<uint64_t>(across), 1,
                            o.stride_bytes != 0 ? static_cast<uint64_t>(products) : 1};
  std::copy_n(sizes, 4, boxes.sizes);
  boxes.strides[0] = boxes.strides[1] = column;
  boxes.strides[2] = o.stride_bytes != 0 ? static_cast<uint64_t>(o.stride_bytes) : column;
  boxes.box[0] = box[0], boxes.box[1] = box[1], boxes.box[2] = boxes.box[3] = 1;
  boxes.swizzle = swizzle;
  return encode(boxes, launch, map, error);
}

}  // namespace

bool wgmma_fits(const GemmDesc &desc, int tile_x, int tile_y, int index) {
  constexpr int64_t kMostStride = int64_t{1} << 40;  // bytes, TMA's limit
  constexpr int kMostSize = INT_MAX - 1024;          // coordinates of tiles run past the edge of C
  const int64_t size = static_cast<int64_t>(size_of(desc.type));
  if (device(index).wgmma_per_clock == 0 || !chunks_fit(desc)) return false;
  if (std::max({desc.m, desc.n, desc.k}) > kMostSize || std::max(desc.lda, desc.ldb) * size >= kMostStride)
    return false;
  if (desc.batch == Batch::strided && std::max(desc.stride_a, desc.stride_b) * size >= kMostStride) return false;
  const double x = static_cast<double>(desc.n), y = static_cast<double>(desc.m);
  return (x / tile_x + 1) * (y / tile_y + 1) < INT_MAX / 16 && (x / tile_y + 1) * (y / tile_x + 1) < INT_MAX / 16;
}

int64_t wgmma_triangle_clusters(TriangleTiles tiles, int64_t order, bool y_grows, int x, int y) {
  const int64_t squares = ceil_div(order, x);
  if (tiles == TriangleTiles::squares) return squares * (squares + 1) / 2;
  if (tiles == TriangleTiles::beside) return squares * (squares - 1) / 2;
  // The last square may have only its first half.
  const int64_t rows = ceil_div(order, kWgmmaRows);
  if (tiles == TriangleTiles::halves) return (rows + y_grows) / 2;
  if (tiles == TriangleTiles::quarters) return (rows + !y_grows) / 2;
  const int line = y_grows ? y : x, across = y_grows ? x : y;
  TriangleLines lines(line, across, static_cast<int>(ceil_div(order, across)));
  int64_t clusters = 0;
  for (int64_t i = 0; i < ceil_div(order, line); ++i) clusters += lines.next();
  return clusters;
}

void count_tiles(const WgmmaInstance &i, WgmmaProblem *p) {
  p->tiles_x = static_cast<int>(ceil_div(p->x, i.cluster_x));
  p->tiles_y = static_cast<int>(ceil_div(p->y, i.cluster_y));
  p->triangle = i.triangle;
  p->tiles =
      Divisor::of(p->part == Part::all ? p->tiles_x * p->tiles_y
                                       : static_cast<int>(wgmma_triangle_clusters(
                                             i.triangle, p->x, p->part == Part::y_from_x, i.cluster_x, i.cluster_y)));
  p->last_height = Divisor::of((p->tiles_y - 1) % kWgmmaGroup + 1);
  p->slice_steps = p->k_steps / p->slices;
  p->stages = i.stages;
}

libsgemm_status_t describe_boxes(const WgmmaInstance &i, int64_t matrices, const Launch &launch, WgmmaProblem *p,
                                 TensorMap *map, Error *error) {
  const bool along_x = p->step_y != 1;
  const int64_t ld = along_x ? p->step_y : p->step_x;
  const int along = along_x ? p->x : p->y, across = along_x ? p->y : p->x;
  // TMA stores whole chunks of 16 bytes, even if the matrix ends within one (H100).
  p->boxes = i.c_box[0] > 0 && wgmma_boxes_add(p->beta, !along_x, i.tile_y) && (!along_x || i.boxes_along_x) &&
             along % 4 == 0 &&
             (reinterpret_cast<uintptr_t>(p->c) % 16 | static_cast<uint64_t>(ld | p->c_elements) % 4) == 0 &&
             ld < int64_t{1} << 37 && p->c_elements < int64_t{1} << 37;
  if (!p->boxes) return LIBSGEMM_SUCCESS;
  TensorBoxes boxes = {};
  boxes.base = p->c;
  boxes.element_bytes = 4;
  const uint64_t sizes[] = {static_cast<uint64_t>(along), static_cast<uint64_t>(across), 1,
                            static_cast<uint64_t>(matrices)};
  std::copy_n(sizes, 4, boxes.sizes);
  boxes.strides[0] = boxes.strides[1] = 4 * static_cast<uint64_t>(ld);
  boxes.strides[2] = p->c_elements != 0 ? 4 * static_cast<uint64_t>(p->c_elements) : boxes.strides[0];
  boxes.box[0] = i.c_box[along_x], boxes.box[1] = i.c_box[!along_x], boxes.box[2] = boxes.box[3] = 1;
  boxes.swizzle = 4 * boxes.box[0];  // a line
  return encode(boxes, launch, map, error);
}

libsgemm_status_t describe_wgmma(const GemmDesc &desc, const WgmmaInstance &i, const WgmmaSides &sides,
                                 Stored::Part part, const WgmmaSlices &slices, const StridedOperands &operands,
                                 int64_t count, const Launch &launch, WgmmaMaps *maps, WgmmaProblem *problem,
                                 Error *error) {
  const Operand a = {operands.a_base, desc.lda, desc.m, desc.k, operands.a_bytes, along_k_a(desc)};
  const Operand b = {operands.b_base, desc.ldb, desc.n, desc.k, operands.b_bytes, along_k_b(desc)};
  const Operand &of_x = sides.swapped ? a : b, &of_y = sides.swapped ? b : a;
  libsgemm_status_t status = describe(of_x, i.element_bytes, i.x_box, i.x_swizzle, count, launch, &maps->x, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  status = describe(of_y, i.element_bytes, i.y_box, i.y_swizzle, count, launch, &maps->y, error);
  if (status != LIBSGEMM_SUCCESS) return status;

  WgmmaProblem &p = *problem;
  p = {};
  p.x = static_cast<int>(sides.x(desc)), p.y = static_cast<int>(sides.y(desc));
  p.width = i.tile_y, p.cluster = i.shape;
  // x is n, and in the lower triangle x <= y.
  p.part = part == Stored::all                         ? Part::all
           : (part == Stored::lower) == !sides.swapped ? Part::y_from_x
                                                       : Part::x_from_y;
  p.k_steps = static_cast<int>(ceil_div(desc.k, i.depth)), p.slices = slices.count;
  count_tiles(i, &p);
  p.products = static_cast<int>(count);
  p.moves_x = of_x.stride_bytes != 0, p.moves_y = of_y.stride_bytes != 0;
  int64_t ld = desc.ldc;
  if (slices.partial != nullptr) {
    p.alpha = 1, p.beta = 0;
    p.c = slices.partial, ld = slices.partial_ld;
    p.c_elements = ld * desc.n;
  } else {
    p.alpha = desc.alpha, p.beta = desc.beta;
    p.c = operands.c_base, p.c_elements = operands.c_elements;
  }
  p.step_x = sides.swapped ? 1 : ld, p.step_y = sides.swapped ? ld : 1;
  p.vectors =
      !sides.swapped && (reinterpret_cast<uintptr_t>(p.c) % 8 | static_cast<uint64_t>(ld | p.c_elements) % 2) == 0;
  return describe_boxes(i, slices.partial != nullptr ? int64_t{p.products} * p.slices : p.products, launch, &p,
                        &maps->c, error);
}

libsgemm_status_t launch_wgmma(const GemmDesc &desc, const WgmmaInstance &i, const WgmmaSides &sides, Stored::Part part,
                               const WgmmaSlices &slices, const StridedOperands &operands, int64_t count,
                               const Launch &launch, Error *error) {
  WgmmaMaps maps;
  WgmmaProblem p;
  const libsgemm_status_t status =
      describe_wgmma(desc, i, sides, part, slices, operands, count, launch, &maps, &p, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  return launch_wgmma_kernel(i.kernel, i, p, launch, error, maps, p);
}

}  // namespace libsgemm::cuda
