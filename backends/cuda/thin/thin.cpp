#include "thin.h"

#include <algorithm>
#include <climits>

#include "gpu/aligned.h"
#include "gpu/cost.h"
#include "runtime/device.h"

namespace libsgemm::cuda::thin {
namespace {

constexpr int64_t kMostUnits = INT32_MAX;      // limit of the kernel's int
constexpr int64_t kMostSharedTiles = 1 << 20;  // the second kernel has up to 1024 blocks a tile
constexpr int kLeastUnits = 2;                 // units of a block that shares tiles

// These are fitted to an H100.
constexpr double kStall = 0.5;              // stalls of a scheduler with one warp, relative to its work
constexpr double kLatencySeconds = 1e-6;    // time from the first load to the first multiplication
constexpr double kShareSeconds = 2e-6;      // second kernel, and starts in the middle of tiles
constexpr double kPartialTraffic = 0.35;    // cost of a byte in L2 relative to memory
constexpr double kUnalignedSlowdown = 1.1;  // slowdown of the arithmetic by copies of single floats

// True if copies can take aligned groups of 4 floats. `outer`: the size along the dimension that is not k.
bool vectors(const float *operand, int64_t ld, int64_t stride, bool along_k, int64_t outer) {
  return columns_aligned(operand, ld) && stride % 4 == 0 && (along_k || outer % 4 == 0);
}

ThinPlan operands_of(const GemmDesc &desc) {
  ThinPlan plan = {};
  set_skinny_operands(desc, &plan);
  const SkinnyWork &w = plan.work;
  plan.x_vectors = vectors(w.x, w.x_ld, w.x_stride, plan.x_along_k, w.wide);
  plan.y_vectors = vectors(w.y, plan.y_along_k ? w.y_narrow : w.y_k, w.y_stride, plan.y_along_k, w.narrow);
  return plan;
}

void set_tiles(const ThinTile &tile, int64_t batch_count, ThinPlan *plan) {
  SkinnyWork &w = plan->work;
  w.warps_wide = w.warps_k = 1;
  w.wide_tiles = ceil_div(w.wide, tile.rows);
  w.narrow_tiles = ceil_div(w.narrow, tile.columns);
  w.units = ceil_div(w.k, tile.chunk);
  plan->tiles = w.wide_tiles * w.narrow_tiles * batch_count;
  plan->threads = tile.threads;
  plan->shared_bytes = tile.bytes;
}

struct Arithmetic {
  double step;      // seconds of a tile per k, with all blocks that fit
  double start;     // seconds of a tile's start and end
  double warps;     // warps of a block for each scheduler
  double resident;  // blocks that fit

  double share(double blocks) const { return blocks * warps / (blocks * warps + kStall); }
  double tiles(double count, double k, double blocks) const {
    return count * (k * step * share(resident) / share(blocks) + start);
  }
};

Arithmetic arithmetic_of(const ThinTile &tile, const ThinPlan &plan, int64_t resident, const Device &dev) {
  Arithmetic a = {};
  const double peak = tile.ffma_share[plan.x_along_k][plan.y_along_k] * fma_peak(dev) / dev.compute_units;
  a.step = 2.0 * tile.rows * tile.columns / peak;
  if (!plan.x_vectors || !plan.y_vectors) a.step *= kUnalignedSlowdown;
  a.start = tile.start_seconds;
  a.warps = tile.threads / 128.0;
  a.resident = static_cast<double>(resident);
  return a;
}

double whole_seconds(const Arithmetic &arithmetic, const ThinPlan &plan, double k, int64_t slots,
                     int64_t multiprocessors) {
  const int64_t waves = plan.tiles / slots;
  const double left = static_cast<double>(ceil_div(plan.tiles % slots, multiprocessors));  // tiles of the busiest one
  const double full = arithmetic.tiles(static_cast<double>(waves) * arithmetic.resident, k, arithmetic.resident);
  return left > 0 ? full + arithmetic.tiles(left, k, left) : full;
}

double shared_seconds(const ThinTile &tile, const Arithmetic &arithmetic, const ThinPlan &plan, double k,
                      int64_t blocks, const Device &dev) {
  const double busy = static_cast<double>(ceil_div(blocks, dev.compute_units));  // blocks of the busiest multiprocessor
  const double tiles = static_cast<double>(plan.tiles) / static_cast<double>(blocks);
  const double partial = 16.0 * tile.rows * tile.columns * static_cast<double>(blocks);
  return arithmetic.tiles(busy * tiles, k, busy) + arithmetic.tiles(busy, 0, busy) + kShareSeconds +
         kPartialTraffic * memory_seconds(dev, partial);
}

}  // namespace

bool thin_supports(const ThinTile &tile, const GemmDesc &desc, int device_index) {
  if (desc.routine != Routine::gemm || desc.type != Type::f32 || desc.batch == Batch::pointers) return false;
  if (std::min(desc.m, desc.n) > tile.narrow_most || desc.k < 1) return false;
  if (device(device_index).shared_memory_per_block < tile.bytes) return false;
  ThinPlan plan = operands_of(desc);
  set_tiles(tile, desc.batch_count, &plan);
  return static_cast<double>(plan.tiles) * static_cast<double>(plan.work.units) < static_cast<double>(kMostUnits);
}

ThinPlan thin_plan(const ThinTile &tile, const GemmDesc &desc, int device_index) {
  const Device &dev = device(device_index);
  ThinPlan plan = operands_of(desc);
  set_tiles(tile, desc.batch_count, &plan);
  SkinnyWork &w = plan.work;
  const auto fit = static_cast<int64_t>(dev.shared_memory_per_block / tile.bytes);
  const int64_t resident = std::clamp<int64_t>(fit, 1, resident_blocks(tile.resident, dev.arch)),
                slots = resident * dev.compute_units;
  const int64_t sharing = std::clamp<int64_t>(plan.tiles * w.units / kLeastUnits, 1, slots);

  const double k = static_cast<double>(w.units) * tile.chunk;
  const Arithmetic arithmetic = arithmetic_of(tile, plan, resident, dev);
  const double whole = whole_seconds(arithmetic, plan, k, slots, dev.compute_units);
  const double shared = shared_seconds(tile, arithmetic, plan, k, sharing, dev);
  const bool share_tiles = tile.share_tiles && shared < whole && plan.tiles < kMostSharedTiles;
  plan.blocks = share_tiles ? sharing : std::min(plan.tiles, slots);
  if (share_tiles) {
    plan.workspace_bytes = static_cast<size_t>(plan.blocks * 2 * tile.rows * tile.columns) * sizeof(float);
  }
  set_skinny_shares(&w, plan.tiles, plan.blocks, share_tiles);

  // Only the operands' traffic overlaps the arithmetic.
  const double out = static_cast<double>(w.wide) * static_cast<double>(w.narrow) * sizeof(float) *
                     (w.beta != 0.0f ? 2 : 1) * static_cast<double>(desc.batch_count);
  plan.seconds = kLaunchSeconds + kLatencySeconds +
                 std::max(share_tiles ? shared : whole, memory_seconds(dev, gemm_bytes(desc) - out)) +
                 memory_seconds(dev, out);
  return plan;
}

}  // namespace libsgemm::cuda::thin
