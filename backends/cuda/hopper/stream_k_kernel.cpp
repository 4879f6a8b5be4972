#include "stream_k_kernel.h"

#include <algorithm>
#include <climits>
#include <cmath>

#include "figures/figures.h"
#include "gpu/aligned.h"
#include "gpu/cost.h"
#include "reassigned.h"
#include "runtime/device.h"
#include "runtime/launch.h"

namespace libsgemm::cuda {
namespace {

using Shape = StreamKShape;
constexpr size_t kTileBytes = size_t{4} * Shape::tile_m * Shape::tile_n;

constexpr double kPeakFraction = 0.855;        // share of a multiprocessor's peak in the main loop
constexpr double kStartSeconds = 2.0e-6;       // barriers, first stages
constexpr double kStoreSeconds = 3e-6;         // stores a tile
constexpr double kSwappedStoreSeconds = 2e-6;  // lanes store more neighbours
constexpr double kGatherSeconds = 1.5e-6;      // adds a partial tile
constexpr double kClearSeconds = 3e-6;         // clears the flags of partial tiles
constexpr double kPartialBandwidth = 1.5;      // bandwidth of slices, mostly in L2, relative to memory

double step_seconds(const Device &d) {
  return 2.0 * Shape::tile_m * Shape::tile_n * Shape::tile_k * d.compute_units / (kPeakFraction * fma_peak(d));
}

struct Operand {
  bool transposed, aligned;
};
Operand operand_a(const GemmDesc &desc) {
  return {desc.transa != LIBSGEMM_NO_TRANS, columns_aligned(desc.a, desc.lda)};
}
Operand operand_b(const GemmDesc &desc) {
  return {desc.transb == LIBSGEMM_NO_TRANS, columns_aligned(desc.b, desc.ldb)};
}

// Share of the speed that remains if operands are transposed or aligned, or if TMA reads too much of unaligned rows.
double route_factor(const Operand &rows, const Operand &columns, bool along_k) {
  const auto moves = [](const Operand &o) { return !o.aligned ? 0.12 : o.transposed ? 0.06 : 0.0; };
  return 1.0 - (!along_k ? moves(rows) : !rows.aligned ? 0.06 : 0.0) - moves(columns);
}

double store_seconds(bool swapped) { return swapped ? kSwappedStoreSeconds : kStoreSeconds; }

// Chooses the faster orientation of the tile's 256 rows. Returns its route_factor().
double orient(const Device &d, const GemmDesc &desc, StreamKPlan *plan) {
  const Operand a = operand_a(desc), b = operand_b(desc);
  const double k_seconds = static_cast<double>(desc.k) / Shape::tile_k * step_seconds(d);
  double least = 0, factor = 1;
  for (const bool swapped : {false, true}) {
    const Operand &rows = swapped ? b : a, &columns = swapped ? a : b;
    const bool along_k = rows.transposed && (rows.aligned || (columns.aligned && !columns.transposed));
    const double share = route_factor(rows, columns, along_k);
    const double time = static_cast<double>(tiles_along(swapped ? desc.n : desc.m, Shape::tile_m)) *
                        tiles_along(swapped ? desc.m : desc.n, Shape::tile_n) *
                        (k_seconds / share + store_seconds(swapped));
    if (least == 0 || time < least) {
      least = time, factor = share;
      plan->swapped = swapped, plan->along_k = along_k, plan->problem.spread = along_k && !rows.aligned ? 4 : 1;
    }
  }
  return factor;
}

size_t flag_bytes(int blocks) { return (sizeof(unsigned) * static_cast<size_t>(blocks) + 255) / 256 * 256; }

size_t stream_workspace(const Device &d) {
  return flag_bytes(d.compute_units) + static_cast<size_t>(d.compute_units) * kTileBytes;
}

// `whole`: no tile is cut, so that the bits of C do not depend on the number of multiprocessors.
void plan_stream(const Device &d, bool whole, StreamKPlan *plan) {
  StreamKProblem &p = plan->problem;
  const int blocks = d.compute_units, count = p.tiles_m * p.tiles_n;
  const double rounds = std::ceil(static_cast<double>(count) / blocks);
  // Tiles to cut: none, or those of the last one or two rounds.
  const int cut = count % blocks == 0 ? 0 : count < blocks ? count : count % blocks + blocks;
  const double whole_seconds = rounds * p.k_tiles * step_seconds(d);
  const double cut_seconds = std::ceil(static_cast<double>(count) * p.k_tiles / blocks) * step_seconds(d) +
                             kClearSeconds +
                             kGatherSeconds * (1 + std::ceil(static_cast<double>(blocks) / std::max(cut, 1)));
  p.stream_tiles = !whole && cut_seconds < whole_seconds ? cut : 0;
  const int64_t k_tiles = static_cast<int64_t>(p.stream_tiles) * p.k_tiles;
  p.share = static_cast<int>(k_tiles / blocks);
  p.longer_shares = static_cast<int>(k_tiles % blocks);
  plan->blocks = p.stream_tiles == 0 ? std::min(blocks, count) : blocks;
  plan->workspace = p.stream_tiles == 0 ? 0 : stream_workspace(d);
  plan->seconds = (p.stream_tiles != 0 ? cut_seconds : whole_seconds) + rounds * store_seconds(plan->swapped);
}

void plan_split_k(const Device &d, StreamKPlan *plan) {
  StreamKProblem &p = plan->problem;
  const int count = p.tiles_m * p.tiles_n;
  p.slices = std::clamp(d.compute_units / count, 1, p.k_tiles);
  plan->blocks = count * p.slices;
  const double bytes = static_cast<double>(plan->blocks) * kTileBytes;
  plan->workspace = static_cast<size_t>(plan->blocks) * kTileBytes;
  const double waves = std::ceil(static_cast<double>(plan->blocks) / d.compute_units);
  plan->seconds = waves * (std::ceil(static_cast<double>(p.k_tiles) / p.slices) * step_seconds(d) + kStoreSeconds) +
                  kLaunchSeconds + 2 * memory_seconds(d, bytes) / kPartialBandwidth;
}

// A tile has `tile` outer elements. `reach`: additional k that the kernel reads before each k-tile.
libsgemm_status_t describe(const float *base, int64_t ld, bool transposed, int64_t outer, int64_t k, int tile,
                           bool along_k, int reach, const Launch &launch, StreamKOperand *operand, Error *error) {
  const bool aligned = columns_aligned(base, ld);
  operand->route = along_k       ? Route::along_k
                   : !transposed ? (aligned ? Route::direct : Route::unaligned)
                                 : (aligned ? Route::transposed : Route::transposed_unaligned);
  const int views = aligned ? 1 : 4;
  MatrixBoxes boxes = {};
  boxes.ld = static_cast<uint64_t>(ld) * static_cast<uint64_t>(views);
  boxes.box_columns = static_cast<uint32_t>((transposed ? tile : Shape::tile_k) / views);
  if (along_k) {
    boxes.box_rows = Shape::tile_k;
    boxes.swizzled = true;
    operand->bytes = Shape::boxes_m * Shape::box_bytes;
  } else if (reach != 0) {
    boxes.box_rows = Shape::box_width;
    boxes.box_columns = static_cast<uint32_t>(Shape::tile_k + reach);
    operand->bytes = 4 * boxes.box_rows * boxes.box_columns;
  } else {
    // 4 more floats are space for the shift, and put transposed columns in different banks.
    boxes.box_rows =
        static_cast<uint32_t>((transposed ? Shape::tile_k : Shape::box_width) + (aligned && !transposed ? 0 : 4));
    operand->bytes =
        static_cast<uint32_t>(4 * boxes.box_rows) * (transposed ? tile : Shape::tile_k * (tile / Shape::box_width));
  }
  operand->view_count = views;
  for (int v = 0; v < views; ++v) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(base + v * ld), start = address / 16 * 16;
    operand->shift[v] = static_cast<int>((address - start) / sizeof(float));
    boxes.base = reinterpret_cast<const float *>(start);
    boxes.rows = static_cast<uint64_t>((transposed ? k : outer) + operand->shift[v]);
    boxes.columns = static_cast<uint64_t>(((transposed ? outer : k) - v + views - 1) / views);
    const libsgemm_status_t status = encode(boxes, launch, &operand->views[v], error);
    if (status != LIBSGEMM_SUCCESS) return status;
  }
  return LIBSGEMM_SUCCESS;
}

}  // namespace

bool tma_supports(const GemmDesc &desc, int index) {
  if (!has_reassigned_kernels() || device(index).arch != 90) return false;
  if (desc.routine != Routine::gemm || desc.type != Type::f32 || desc.batch != Batch::none) return false;
  if (std::min({desc.m, desc.n, desc.k}) < 4) return false;
  // TMA's coordinates have 32 bits, its strides 40 (bytes).
  return std::max({desc.m, desc.n, desc.k}) < INT_MAX - 1024 && std::max(desc.lda, desc.ldb) < int64_t{1} << 35;
}

bool stream_k_supports(const GemmDesc &desc, Sharing sharing, int index) {
  if (!tma_supports(desc, index)) return false;
  const Device &d = device(index);
  const double count = std::ceil(static_cast<double>(desc.m) / 128) * std::ceil(static_cast<double>(desc.n) / 128);
  const double k_tiles = std::ceil(static_cast<double>(desc.k) / Shape::tile_k);
  if (count >= INT_MAX / 16 || k_tiles * (2 * d.compute_units + count / d.compute_units) >= INT_MAX) return false;
  switch (sharing) {
    case Sharing::stream:
      return true;
    case Sharing::split_k:
      return count <= 2 * d.compute_units && k_tiles >= 2 && count * k_tiles < INT_MAX;
  }
  return false;
}

StreamKPlan stream_k_plan(const GemmDesc &desc, Sharing sharing, int index) {
  const Device &d = device(index);
  StreamKPlan plan = {};
  StreamKProblem &p = plan.problem;
  p.m = desc.m, p.n = desc.n, p.ldc = desc.ldc;
  p.alpha = desc.alpha, p.beta = desc.beta;
  const double factor = orient(d, desc, &plan);
  p.tiles_m = tiles_along(plan.swapped ? desc.n : desc.m, Shape::tile_m);
  p.tiles_n = tiles_along(plan.swapped ? desc.m : desc.n, Shape::tile_n);
  p.k_tiles = tiles_along(desc.k + (p.spread != 1 ? Shape::reach : 0), Shape::tile_k);
  p.k_tiles_inverse = UINT_MAX / static_cast<unsigned>(p.k_tiles);
  p.slices = 1;
  switch (sharing) {
    case Sharing::stream:
      plan_stream(d, invariant(desc), &plan);
      break;
    case Sharing::split_k:
      plan_split_k(d, &plan);
      break;
  }
  const double arithmetic = kStartSeconds + plan.seconds / factor, memory = memory_seconds(d, gemm_bytes(desc));
  plan.seconds = sharing == Sharing::split_k
                     ? fitted_share(90, Shared::stream_k_in_slices) * (kLaunchSeconds + std::max(arithmetic, memory))
                     : fitted_share(90, Shared::stream_k) * (kLaunchSeconds + overlapped(arithmetic, memory));
  return plan;
}

size_t stream_k_most_workspace(int index) { return stream_workspace(device(index)); }

StreamKProblem stream_k_problem(const GemmDesc &desc, const StreamKPlan &plan, const Launch &launch) {
  StreamKProblem p = plan.problem;
  p.c = desc.c;
  // With a spread of 4 only neighbours along the tile's columns stay together: swapped, these are rows of C.
  p.vectors = columns_aligned(desc.c, desc.ldc) && (plan.swapped || p.spread == 1);
  p.partial = static_cast<float *>(launch.workspace);
  if (p.stream_tiles != 0) {
    p.finished = static_cast<unsigned *>(launch.workspace);
    p.partial = reinterpret_cast<float *>(static_cast<char *>(launch.workspace) + flag_bytes(plan.blocks));
  }
  return p;
}

libsgemm_status_t launch_stream_k(const GemmDesc &desc, const StreamKPlan &plan, const StreamKKernel &kernel,
                                  const Launch &launch, Error *error) {
  const auto *a = static_cast<const float *>(desc.a), *b = static_cast<const float *>(desc.b);
  StreamKOperands operands = {};
  const int reach = plan.problem.spread != 1 ? Shape::reach : 0;
  StreamKOperand &of_a = plan.swapped ? operands.b : operands.a, &of_b = plan.swapped ? operands.a : operands.b;
  libsgemm_status_t status = describe(a, desc.lda, desc.transa != LIBSGEMM_NO_TRANS, desc.m, desc.k,
                                      plan.swapped ? Shape::tile_n : Shape::tile_m, plan.along_k && !plan.swapped,
                                      plan.swapped ? reach : 0, launch, &of_a, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  status = describe(b, desc.ldb, desc.transb == LIBSGEMM_NO_TRANS, desc.n, desc.k,
                    plan.swapped ? Shape::tile_m : Shape::tile_n, plan.along_k && plan.swapped,
                    plan.swapped ? 0 : reach, launch, &of_b, error);
  if (status != LIBSGEMM_SUCCESS) return status;

  const StreamKProblem p = stream_k_problem(desc, plan, launch);
  if (p.stream_tiles != 0) {
    status = clear(p.finished, flag_bytes(plan.blocks), launch, error);
    if (status != LIBSGEMM_SUCCESS) return status;
  }
  return launch_kernel(kernel.instances[plan.along_k ? 1 : 0][plan.swapped ? 1 : 0],
                       dim3(static_cast<unsigned>(plan.blocks)), dim3(Shape::threads), Shape::shared_bytes, launch,
                       error, operands, p);
}

}  // namespace libsgemm::cuda
