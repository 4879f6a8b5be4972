// The warps of a block divide k until enough of the matrix is in flight in every multiprocessor (kPlentyBytes). Tiles
// are small enough to have one for each multiprocessor; only if that does not suffice, k is cut into slices. Why:
// docs/kernels/ffma.md.
#include "vector.h"

#include <algorithm>

#include "gpu/cost.h"
#include "runtime/device.h"

namespace libsgemm::cuda {
namespace {

// Fitted to an H100: copies of equal bytes take as long, or 3 % longer.
constexpr double kBandwidthShare = 0.914;   // share of the data sheet's, with enough loads in flight
constexpr double kBandwidthOfOne = 1.06;    // limit of one multiprocessor, relative to an equal share
constexpr double kPlentyBytes = 96 * 1024;  // bytes in flight in a multiprocessor for that
constexpr double kSparseLoss = 0.1;         // time lost with half of these in flight
constexpr double kNotAligned = 0.08;        // additional traffic: runs begin within sectors
constexpr double kSumSeconds = 2e-6;
constexpr double kPartialBandwidth = 1.5;      // bandwidth of partial sums, in L2, relative to memory
constexpr double kStepSeconds = 0.8e-6;        // latency of a warp's step, which nothing hides
constexpr double kWarpBytesAlongK = 8 * 1024;  // bytes in flight of a warp
constexpr double kWarpBytesAlongRows = 4 * 1024;
constexpr int kShortK = 512;    // a shorter k has 8 lanes a row instead of 32
constexpr int kMostPerOne = 8;  // blocks per multiprocessor to try
constexpr int kMostSlices = 512;
constexpr int kResidentWarps = 32;  // limit along rows: 64 registers a thread

// Short runs of X reach a share of the bandwidth.
struct TileShape {
  int rows;
  double share;
};
constexpr TileShape kTileShapes[] = {{64, 1.0}, {32, 0.98}, {16, 0.93}, {8, 0.8}};

VectorPlan operands_of(const GemmDesc &d) {
  VectorPlan plan = {};
  VectorWork &w = plan.work;
  const bool m_long = d.m >= d.n;
  const bool a_along_k = d.transa == LIBSGEMM_TRANS, b_along_k = d.transb == LIBSGEMM_NO_TRANS;
  const auto *a = static_cast<const float *>(d.a), *b = static_cast<const float *>(d.b);
  w.x = m_long ? a : b;
  w.y = m_long ? b : a;
  w.c = d.c;
  w.rows = m_long ? d.m : d.n;
  w.k = d.k;
  w.x_ld = m_long ? d.lda : d.ldb;
  w.y_step = (m_long ? b_along_k : a_along_k) ? 1 : (m_long ? d.ldb : d.lda);
  w.c_step = m_long ? 1 : d.ldc;
  plan.along_k = m_long ? a_along_k : b_along_k;
  if (w.rows == 1 && (plan.along_k || w.x_ld == 1)) {
    plan.along_k = true;
    w.x_ld = 0;  // one run: only its alignment counts
  }
  if (d.batch == Batch::strided) {
    w.x_stride = m_long ? d.stride_a : d.stride_b;
    w.y_stride = m_long ? d.stride_b : d.stride_a;
    w.c_stride = d.stride_c;
  }
  w.alpha = d.alpha;
  w.beta = d.beta;
  return plan;
}

class Search {
 public:
  Search(const GemmDesc &desc, const Device &device) : device_(device), count_(desc.batch_count) {
    best_ = operands_of(desc);
    bytes_ = gemm_bytes(desc);
    bandwidth_ = kBandwidthShare * device.memory_bandwidth;
  }

  VectorPlan run() {
    if (best_.along_k) {
      const int lanes = best_.work.k < kShortK ? 8 : 32;
      for (int warps_k = 1; warps_k <= vector::kWarpsAlongK; warps_k *= 2) along_k(lanes, warps_k);
    } else {
      for (const TileShape &shape : kTileShapes) along_rows(shape);
    }
    // Addresses must not count: the workspace is requested before they are known.
    const VectorWork &w = best_.work;
    const bool aligned = (reinterpret_cast<uintptr_t>(w.x) % 16 | static_cast<uint64_t>(w.x_ld | w.x_stride) % 4) == 0;
    if (!aligned) best_.seconds += kNotAligned * bytes_ / bandwidth_;
    return best_;
  }

 private:
  // Tries one slice, and slices of k >= `least` that give a multiprocessor 1 to kMostPerOne blocks.
  template <typename Try>
  void slices(int64_t blocks, int64_t least, const Try &attempt) const {
    attempt(1);
    for (int per_one = 1; per_one <= kMostPerOne; ++per_one) {
      const int64_t wanted = int64_t{per_one} * device_.compute_units / blocks;
      const int64_t slices = std::min({wanted, best_.work.k / least, int64_t{kMostSlices}});
      if (slices > 1) attempt(slices);
    }
  }

  void along_k(int lanes, int warps_k) {
    const int tile_rows = vector::kWarpsAlongK / warps_k * vector::kRowsOfLane * 32 / lanes;
    const int64_t step = int64_t{warps_k} * lanes * vector::kBatchOfLane;
    if (warps_k > 1 && best_.work.k <= step / 2) return;
    slices(ceil_div(best_.work.rows, tile_rows) * count_, step, [&](int64_t slices) {
      VectorPlan plan = cut(tile_rows, slices, step);
      plan.shape = lanes;
      plan.work.warps_k = warps_k;
      plan.threads = 32 * vector::kWarpsAlongK;
      const double steps = static_cast<double>(ceil_div(plan.work.slice, step));
      const int resident = lanes == 8 ? vector::kResidentAlongK<8> : vector::kResidentAlongK<32>;
      consider(plan, kWarpBytesAlongK, resident, steps, 1.0);
    });
  }

  void along_rows(const TileShape &shape) {
    const int64_t step = vector::kWarpStep / shape.rows;
    slices(ceil_div(best_.work.rows, shape.rows) * count_, 8 * step,
           [&](int64_t slices) { tiles_of(shape, shape.rows, slices); });
    // Tries fewer rows, multiples of 8 (a sector): one or a few tiles for each multiprocessor.
    for (int per_one = 1; per_one <= kMostPerOne; ++per_one) {
      const int64_t wanted = int64_t{per_one} * device_.compute_units / count_;
      if (wanted == 0) continue;
      const int64_t rows = ceil_div(ceil_div(best_.work.rows, wanted), 8) * 8;
      if (rows < shape.rows && 2 * rows > shape.rows) tiles_of(shape, static_cast<int>(rows), 1);
    }
  }

  void tiles_of(const TileShape &shape, int tile_rows, int64_t slices) {
    const int step = vector::kWarpStep / shape.rows;
    VectorPlan plan = cut(tile_rows, slices, step);
    plan.shape = shape.rows;
    const int most = plan.blocks <= device_.compute_units ? vector::kMostWarps : vector::kMostWarps / 2;
    const int64_t k = std::min(plan.work.slice, best_.work.k), rest = k % step;
    const int64_t jobs = k / step + ceil_div(rest, step / 4);  // several warps share the last step
    const int warps = static_cast<int>(std::min<int64_t>(most, jobs));
    plan.threads = 32 * warps;
    const double filled = static_cast<double>(tile_rows) / shape.rows;
    consider(plan, kWarpBytesAlongRows * filled, kResidentWarps / warps, static_cast<double>(ceil_div(jobs, warps)),
             shape.share);
  }

  VectorPlan cut(int tile_rows, int64_t slices, int64_t step) const {
    VectorPlan plan = best_;
    VectorWork &w = plan.work;
    w.tile_rows = tile_rows;
    plan.tiles = ceil_div(w.rows, tile_rows);
    w.slice = ceil_div(ceil_div(w.k, slices), step) * step;
    plan.slices = ceil_div(w.k, w.slice);
    plan.blocks = plan.tiles * plan.slices * count_;
    plan.workspace_bytes =
        plan.slices > 1 ? static_cast<size_t>(w.rows) * static_cast<size_t>(plan.slices * count_) * sizeof(float) : 0;
    return plan;
  }

  // `steps`: those of a warp. `resident`: blocks that fit a multiprocessor.
  void consider(const VectorPlan &candidate, double warp_bytes, int resident, double steps, double share) {
    VectorPlan plan = candidate;
    const double blocks = static_cast<double>(plan.blocks), all = device_.compute_units;
    const double busiest = static_cast<double>(ceil_div(plan.blocks, device_.compute_units));
    const double waves = busiest / std::min<double>(busiest, resident);
    const double uneven = std::max(1.0, busiest * all / (blocks * kBandwidthOfOne));
    const double under_way = std::clamp<double>(blocks / all, 1, resident) * (plan.threads / 32.0) * warp_bytes;
    const double sparse = std::max(1.0, 1 + kSparseLoss * (kPlentyBytes / under_way - 1));
    const double memory = bytes_ / (bandwidth_ * share) * uneven * sparse;
    plan.seconds = kLaunchSeconds + std::max(memory, waves * steps * kStepSeconds);
    if (plan.workspace_bytes > 0) {
      const double partial = 2 * static_cast<double>(plan.workspace_bytes);
      plan.seconds += kSumSeconds + partial / (kPartialBandwidth * bandwidth_);
    }
    if (best_.blocks == 0 || plan.seconds < best_.seconds) best_ = plan;
  }

  const Device &device_;
  const int64_t count_;
  double bytes_, bandwidth_;
  VectorPlan best_;
};

}  // namespace

bool vector_supports(const GemmDesc &desc, int device_index) {
  return desc.routine == Routine::gemm && desc.type == Type::f32 && desc.batch != Batch::pointers &&
         std::min(desc.m, desc.n) == 1 && vector_plan(desc, device_index).tiles <= INT32_MAX;
}

VectorPlan vector_plan(const GemmDesc &desc, int device_index) { return Search(desc, device(device_index)).run(); }

}  // namespace libsgemm::cuda
