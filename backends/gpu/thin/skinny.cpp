#include "skinny.h"

#include <algorithm>

#include "gpu/batch.h"
#include "gpu/cost.h"

namespace libsgemm::gpu {
namespace {

constexpr int64_t kMostSharedTiles = most_blocks(256) / 1024;  // 1024: bound of the second kernel's blocks for a tile
constexpr int kLeastUnits = 2;                                 // units of a block that shares tiles
constexpr int kLeastChunks = 4;                                // fewer are not worth a warp's start
constexpr double kSumSeconds = 2e-6;
constexpr double kLatencySeconds = 1.5e-6;   // time from a tile's first load to its last store
constexpr double kTallSeconds = 9e-6;        // added for tall tiles: their rings fill and drain
constexpr double kPlentyWarps = 8;           // warps that keep a compute unit busy
constexpr double kSparseLoss = 0.3;          // added share of the time with half of these
constexpr double kTransposedSlowdown = 1.2;  // tall tiles with a transposed wide operand
constexpr double kBandwidthShare = 0.85;     // share of the data sheet's bandwidth
constexpr double kBandwidthOfOne = 3;        // bandwidth of one compute unit, in equal shares of all

// Halves a block's warps until they fit shared memory.
int warps_that_fit(const SkinnyTile &tile, const DeviceModel &dev) {
  int warps = tile.warps;
  while (warps > 0 && static_cast<size_t>(warps) * tile.warp_bytes > dev.shared_memory_per_block) warps /= 2;
  return warps;
}

// Divides along k first: with fewer rows a block, there are more blocks.
void divide_warps(const SkinnyTile &tile, int warps, SkinnyWork *w) {
  w->warps_k = 1;
  while (2 * w->warps_k <= warps && w->k >= int64_t{2} * w->warps_k * kLeastChunks * tile.chunk) w->warps_k *= 2;
  w->warps_wide = warps / w->warps_k;
  while (w->warps_wide > 1 && int64_t{w->warps_wide} / 2 * tile.rows >= w->wide) w->warps_wide /= 2;
}

struct Times {
  double memory;      // all tiles
  double arithmetic;  // one tile, with plenty of warps
  double transfer;    // one tile's operands, to one compute unit
  double partial;     // two partial tiles of a block, written and read
  int warps;

  // Seconds of a compute unit with `blocks` blocks.
  double tiles_on_one(double tiles, double blocks) const {
    const double sparse = std::max(1.0, 1 + kSparseLoss * (kPlentyWarps / (blocks * warps) - 1));
    return tiles * std::max(arithmetic * sparse, transfer);
  }
};

Times times_of(const SkinnyTile &tile, const GemmDesc &desc, const SkinnyPlan &plan, const DeviceModel &dev) {
  const SkinnyWork &w = plan.work;
  const double rows = static_cast<double>(w.warps_wide) * tile.rows, k = static_cast<double>(w.k);
  const double bandwidth = kBandwidthShare * dev.memory_bandwidth;
  const double fma = tile.fma_share * fma_peak(dev) / 2 / dev.compute_units;
  Times t = {};
  t.memory = gemm_bytes(desc) / bandwidth;
  t.arithmetic = rows * tile.columns * k / fma;
  t.transfer = 4 * k * (rows + tile.columns) * dev.compute_units / (kBandwidthOfOne * bandwidth);
  t.partial = 16 * rows * tile.columns / bandwidth;
  t.warps = plan.threads / 32;
  return t;
}

// Each round of resident blocks has its own start and end.
double whole_tiles_seconds(const Times &times, int64_t tiles, int64_t resident, int64_t compute_units) {
  const int64_t wave = resident * compute_units, full = tiles / wave, left = tiles % wave;
  const double memory = times.memory / static_cast<double>(tiles);
  double seconds = 0;
  if (full > 0) {
    const double blocks = static_cast<double>(resident);
    const double one = std::max(memory * static_cast<double>(wave), times.tiles_on_one(blocks, blocks));
    seconds += static_cast<double>(full) * (one + kLatencySeconds / blocks);
  }
  if (left > 0) {
    const double busiest = static_cast<double>(ceil_div(left, compute_units));
    seconds += std::max(memory * static_cast<double>(left), times.tiles_on_one(busiest, busiest)) + kLatencySeconds;
  }
  return seconds;
}

// Blocks get equal shares; a second kernel adds partial tiles.
double shared_tiles_seconds(const Times &times, const SkinnyPlan &plan, int64_t compute_units) {
  const double busy = static_cast<double>(std::min(plan.blocks, compute_units));
  const double blocks = static_cast<double>(plan.blocks) / busy;
  const double products = std::max(times.memory, times.tiles_on_one(static_cast<double>(plan.tiles) / busy, blocks));
  return products + 2 * kLatencySeconds + kSumSeconds + times.partial * static_cast<double>(plan.blocks);
}

}  // namespace

void set_skinny_operands(const GemmDesc &d, SkinnyPlan *plan) {
  SkinnyWork &w = plan->work;
  const bool m_wide = d.m >= d.n;
  const bool a_along_k = d.transa == LIBSGEMM_TRANS, b_along_k = d.transb == LIBSGEMM_NO_TRANS;
  const auto *a = static_cast<const float *>(d.a), *b = static_cast<const float *>(d.b);
  w.x = m_wide ? a : b;
  w.y = m_wide ? b : a;
  w.c = d.c;
  w.wide = m_wide ? d.m : d.n;
  w.narrow = m_wide ? d.n : d.m;
  w.k = d.k;
  w.x_ld = m_wide ? d.lda : d.ldb;
  const int64_t y_ld = m_wide ? d.ldb : d.lda;
  plan->x_along_k = m_wide ? a_along_k : b_along_k;
  plan->y_along_k = m_wide ? b_along_k : a_along_k;
  w.y_k = plan->y_along_k ? 1 : y_ld;
  w.y_narrow = plan->y_along_k ? y_ld : 1;
  w.c_wide = m_wide ? 1 : d.ldc;
  w.c_narrow = m_wide ? d.ldc : 1;
  if (d.batch == Batch::strided) {
    w.x_stride = m_wide ? d.stride_a : d.stride_b;
    w.y_stride = m_wide ? d.stride_b : d.stride_a;
    w.c_stride = d.stride_c;
  }
  w.alpha = d.alpha;
  w.beta = d.beta;
}

void set_skinny_shares(SkinnyWork *w, int64_t tiles, int64_t blocks, bool share_tiles) {
  w->granule = share_tiles ? 1 : w->units;
  w->shares = share_tiles ? tiles * w->units : tiles;
  w->share = w->shares / blocks;
  w->rest = w->shares % blocks;
}

bool skinny_supports(const SkinnyTile &tile, const GemmDesc &desc, int device_index) {
  return desc.routine == Routine::gemm && desc.type == Type::f32 && desc.batch != Batch::pointers &&
         std::min(desc.m, desc.n) <= tile.narrow_most && desc.k >= tile.least_k &&
         warps_that_fit(tile, model(device_index)) > 0;
}

SkinnyPlan skinny_plan(const SkinnyTile &tile, const GemmDesc &desc, int device_index) {
  const DeviceModel &dev = model(device_index);
  SkinnyPlan plan = {};
  set_skinny_operands(desc, &plan);
  SkinnyWork &w = plan.work;
  divide_warps(tile, warps_that_fit(tile, dev), &w);
  const int warps = w.warps_k * w.warps_wide;
  plan.threads = 32 * warps;
  plan.shared_bytes = static_cast<size_t>(warps) * tile.warp_bytes;
  const int64_t rows = int64_t{w.warps_wide} * tile.rows;
  w.wide_tiles = ceil_div(w.wide, rows);
  w.narrow_tiles = ceil_div(w.narrow, tile.columns);
  w.units = ceil_div(w.k, int64_t{w.warps_k} * tile.chunk);
  plan.tiles = w.wide_tiles * w.narrow_tiles * desc.batch_count;

  const auto fit = static_cast<int64_t>(dev.shared_memory_per_block / plan.shared_bytes);
  const int64_t resident = std::clamp<int64_t>(fit, 1, tile.resident);
  const Times times = times_of(tile, desc, plan, dev);
  const double whole = whole_tiles_seconds(times, plan.tiles, resident, dev.compute_units);
  plan.blocks = std::clamp<int64_t>(plan.tiles * w.units / kLeastUnits, 1, resident * dev.compute_units);
  const double shared = shared_tiles_seconds(times, plan, dev.compute_units);
  const bool share_tiles = shared < whole && plan.tiles < kMostSharedTiles;
  if (share_tiles) {
    plan.workspace_bytes = static_cast<size_t>(plan.blocks * 2 * rows * tile.columns) * sizeof(float);
  } else {
    plan.blocks = std::min(plan.tiles, most_blocks(plan.threads));
  }
  set_skinny_shares(&w, plan.tiles, plan.blocks, share_tiles);
  plan.seconds = share_tiles ? shared : whole;
  if (tile.slowdown > 1) {
    const double slowdown = tile.slowdown * (plan.x_along_k ? kTransposedSlowdown : 1.0);
    const double arithmetic = times.arithmetic * static_cast<double>(plan.tiles) / dev.compute_units;
    plan.seconds = std::max(plan.seconds, overlapped(slowdown * arithmetic, times.memory) + kTallSeconds);
  }
  plan.seconds += kLaunchSeconds;
  return plan;
}

}  // namespace libsgemm::gpu
