#include "wgmma_plan.h"

#include <algorithm>
#include <cmath>

#include "gpu/tiles/split_k.h"
#include "wgmma_launch.h"

namespace libsgemm::cuda {
namespace {

struct Tile {
  int rows;      // of x
  int width;     // columns of y
  bool swapped;  // WgmmaSides
  WgmmaCluster cluster;
  int slices;
};

// Model parameters, fitted on an H100 (docs/kernels/cost-model.md). Clocks and bytes are those of a multiprocessor in a
// k-step. Concurrent work adds as fourth powers, arithmetic and memory as squares, so that the longest counts most.
constexpr double kClocksOfColumn = 4.79;    // tensor cores, 128 rows of x
constexpr double kLeastColumns = 40;        // fewer take as long
constexpr double kArrivingPerClock = 61.6;  // bytes that a block receives
constexpr double kReadPerClock = 46.1;      // bytes from L2, when all multiprocessors read
constexpr double kTornLines = 1.73;         // factor for unaligned lines
constexpr double kLeastClocks = 268;        // single blocks
constexpr double kLeastClocksOfPair = 450, kLeastClocksOfFour = 550;
constexpr double kClocksOfTile = 284;       // a tile's start and end
constexpr double kClocksOfHalfTile = 575;   // the same for 64 rows
constexpr double kClocksOfPair = 1198;      // extra for a tile of a pair
constexpr double kClocksOfFour = 1500;      // extra for a tile of four blocks
constexpr double kClocksOfSums = 13.6;      // storing a column of 128 rows
constexpr double kClocksOfRowSums = 60;     // the same without TMA
constexpr double kReachedBandwidth = 0.97;  // share of the data sheet's
constexpr double kRowStores = 0.5;          // extra without TMA, as a multiple of the time to write C
constexpr double kStart = 2.6e-6;           // seconds of a launch
constexpr double kSum = 2.7e-6;             // seconds to add slices
constexpr double kSumBandwidth = 3.4e12;    // bytes a second of partial sums

double square(double x) { return x * x; }
double fourth(double x) { return square(square(x)); }

double bytes_seconds(const Device &d, double bytes) { return bytes / (kReachedBandwidth * d.memory_bandwidth); }

// Factor on the time to read a matrix: 1 if its lines are multiples of 128 bytes.
double torn(int64_t ld, size_t size) { return static_cast<uint64_t>(ld) * size % 128 == 0 ? 1 : kTornLines; }

// A GPC may have a number of multiprocessors that is no multiple of 4, so clusters of four leave some idle: an H100
// runs 30 at once.
int clusters_at_once(const Device &d, const WgmmaCluster &cluster) {
  return cluster.blocks() <= 2 ? d.compute_units / cluster.blocks() : d.compute_units * 10 / 11 / 4;
}

// True if warps store C because TMA's boxes do not fit. TMA always stores the partial sums of slices.
bool by_rows(const GemmDesc &desc, const Tile &tile) {
  return tile.slices == 1 && !wgmma_boxes_fit(desc, tile.swapped, tile.width);
}

// in_y: x is part of y and not copied (y_has_x()).
double tiles_clocks(const Device &d, const GemmDesc &desc, const Tile &tile, double clusters, double steps,
                    bool in_y = false) {
  const WgmmaSides sides(desc, tile.swapped);
  const double torn_a = torn(desc.lda, size_of(desc.type)), torn_b = torn(desc.ldb, size_of(desc.type));
  const double torn_x = tile.swapped ? torn_a : torn_b, torn_y = tile.swapped ? torn_b : torn_a;
  const double at_once = clusters_at_once(d, tile.cluster), rounds = std::ceil(clusters / at_once);
  const double busy = clusters * tile.cluster.blocks() / (rounds * d.compute_units);
  const double share = tile.rows / static_cast<double>(kWgmmaRows);
  const int columns = sides.y_along_k ? tile.width : (tile.width + 63) / 64 * 64;  // copied columns
  constexpr double kLine = 2.0 * kWgmmaDepth;
  const double wanted = in_y ? tile.width - kWgmmaRows / 4 : tile.width;  // on the diagonal a warpgroup leaves 64 out
  const double products = share * kClocksOfColumn * std::max(wanted, kLeastColumns);
  const int rows = in_y ? 0 : tile.rows;
  const double arriving = kLine * (rows + columns) / kArrivingPerClock;
  const double of_x = rows * torn_x / (1 << tile.cluster.log_y);
  const double of_y = columns * torn_y / (1 << tile.cluster.log_x);
  const double read = kLine * (of_x + of_y) / kReadPerClock * busy;
  const auto of_blocks = [&](double one, double two, double four) {
    return tile.cluster.blocks() == 1 ? one : tile.cluster.blocks() == 2 ? two : four;
  };
  const double least = of_blocks(kLeastClocks, kLeastClocksOfPair, kLeastClocksOfFour);
  const double step = std::sqrt(std::sqrt(fourth(products) + fourth(arriving) + fourth(read) + fourth(least)));
  const double of_tile = (tile.rows == kWgmmaRows ? kClocksOfTile : kClocksOfHalfTile) +
                         of_blocks(0, kClocksOfPair, kClocksOfFour) +
                         share * (by_rows(desc, tile) ? kClocksOfRowSums : kClocksOfSums) * tile.width;
  return rounds * (steps * step + of_tile);
}

double clusters_of(const GemmDesc &desc, const Tile &tile) {
  const WgmmaSides sides(desc, tile.swapped);
  return static_cast<double>(ceil_div(sides.x(desc), int64_t{tile.rows} << tile.cluster.log_x)) *
         static_cast<double>(ceil_div(sides.y(desc), int64_t{tile.width} << tile.cluster.log_y)) *
         static_cast<double>(desc.batch_count);
}

// A tile narrower than a TMA box must be the only one along y.
bool width_fits(const GemmDesc &desc, int width, bool swapped) {
  return width >= kWgmmaBox || WgmmaSides(desc, swapped).y(desc) <= width;
}

double seconds_of(const Device &d, double clocks, double bytes) {
  return kStart + std::sqrt(square(clocks / d.clock) + square(bytes_seconds(d, bytes)));
}

double product_seconds(const Device &d, const GemmDesc &desc, const Tile &tile) {
  const double steps = std::ceil(static_cast<double>(ceil_div(desc.k, kWgmmaDepth)) / tile.slices);
  const double clocks = tiles_clocks(d, desc, tile, clusters_of(desc, tile) * tile.slices, steps);
  const double sums =
      4.0 * static_cast<double>(desc.m) * static_cast<double>(desc.n) * static_cast<double>(desc.batch_count);
  double seconds = seconds_of(d, clocks, gemm_bytes(desc));
  if (tile.slices > 1) {
    seconds += kSum + 2 * sums * tile.slices / kSumBandwidth;
  } else if (by_rows(desc, tile)) {
    seconds += kRowStores * bytes_seconds(d, sums);
  }
  return seconds;
}

// Most slices with which a multiprocessor has at most `rounds` tiles, or 0 if below 2.
int slices_of(const Device &d, const GemmDesc &desc, const Tile &tile, int rounds) {
  const double fitting = std::floor(rounds * clusters_at_once(d, tile.cluster) / clusters_of(desc, tile));
  const auto slices =
      static_cast<int>(std::min({fitting, double{kMostSlices}, static_cast<double>(ceil_div(desc.k, kWgmmaDepth))}));
  return slices >= 2 && split_bytes(desc, slices, sizeof(float)) <= kMostSplitBytes ? slices : 0;
}

constexpr int kMostRounds = 3;  // most tiles of a multiprocessor if k is in slices

constexpr WgmmaCluster kClusters[] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}};

// True if more than half of the blocks along each side of the cluster have tiles of C, and each copies whole boxes.
bool cluster_fits(const Device &d, const GemmDesc &desc, const Tile &tile) {
  const WgmmaSides sides(desc, tile.swapped);
  const WgmmaCluster &c = tile.cluster;
  if (c.blocks() == 1) return true;
  return tile.rows == kWgmmaRows && tile.width % (8 << c.log_x) == 0 && clusters_at_once(d, c) > 0 &&
         2 * sides.x(desc) > int64_t{tile.rows} << c.log_x && (c.log_y == 0 || sides.y(desc) > tile.width);
}

}  // namespace

Plan best_wgmma_plan(const GemmDesc &desc, int rows, int width, bool split, int index) {
  const Device &d = device(index);
  Plan best;
  const auto take = [&](const Tile &tile) {
    const double seconds = product_seconds(d, desc, tile);
    if (!(seconds < best.seconds)) return;
    const size_t workspace = split ? split_bytes(desc, tile.slices, sizeof(float)) : 0;
    best = planned(seconds, workspace, {tile.slices, 0, tile.cluster.log_x, tile.cluster.log_y, tile.swapped});
  };
  for (const bool swapped : {false, true}) {
    if (!width_fits(desc, width, swapped)) continue;
    for (const WgmmaCluster &cluster : kClusters) {
      Tile tile = {rows, width, swapped, cluster, 1};
      if (!cluster_fits(d, desc, tile)) continue;
      if (!split) {
        take(tile);
        continue;
      }
      for (int rounds = 1; rounds <= kMostRounds; ++rounds) {
        tile.slices = slices_of(d, desc, tile, rounds);
        if (tile.slices > 0) take(tile);
      }
    }
  }
  return best;
}

WgmmaTrianglePlan wgmma_triangle_plan(const GemmDesc &product, bool y_grows, int width, int index) {
  using Part = WgmmaTrianglePlan::Part;
  const Device &d = device(index);
  const auto steps = static_cast<double>(ceil_div(product.k, kWgmmaDepth));
  const auto tiles_of = [&](const Part &part) {
    return product.batch_count * wgmma_triangle_clusters(part.tiles, product.n, y_grows,
                                                         kWgmmaRows << part.cluster.log_x,
                                                         part.width << part.cluster.log_y);
  };
  const auto rounds_of = [&](const Part &part) {
    return static_cast<double>(ceil_div(tiles_of(part), int64_t{part.at_once}));
  };
  const auto clocks_of_tile = [&](const Part &part, int at_once) {
    return tiles_clocks(d, product, {kWgmmaRows, part.width, false, part.cluster, 1}, at_once, steps,
                        y_has_x(part.tiles));
  };
  const auto seconds = [&](double clocks) { return seconds_of(d, clocks, gemm_bytes(product) / 2); };
  const auto most = [&](const Part &part, int64_t clusters) {
    return static_cast<int>(std::min(tiles_of(part), clusters));
  };
  if (width < 2 * kWgmmaRows) {
    const bool square = width == kWgmmaRows;
    const WgmmaCluster cluster = {static_cast<int8_t>(square ? 0 : 1), 0};
    Part all = {width, cluster, square ? TriangleTiles::squares : TriangleTiles::lines, 0};
    all.at_once = most(all, clusters_at_once(d, cluster));
    return {{all}, seconds(rounds_of(all) * clocks_of_tile(all, all.at_once))};
  }
  Part squares = {width, {1, 0}, TriangleTiles::beside, 0};
  Part halves = {width, {0, 0}, TriangleTiles::halves, 0}, quarters = {kWgmmaRows, {0, 0}, TriangleTiles::quarters, 0};
  // More rounds of squares need fewer pairs, which leaves more blocks for the diagonal.
  constexpr int kMoreRounds = 3, kPairsLeft = 1;
  WgmmaTrianglePlan best = {{}, HUGE_VAL};
  const int64_t pairs = tiles_of(squares), least = ceil_div(pairs, d.compute_units / 2 - kPairsLeft);
  for (int64_t rounds = least; rounds <= least + kMoreRounds; ++rounds) {
    squares.at_once = static_cast<int>(ceil_div(pairs, rounds));
    const int blocks = (d.compute_units / 2 - squares.at_once) * 2;
    const double of_squares = static_cast<double>(rounds) * clocks_of_tile(squares, squares.at_once);
    const double of_half = clocks_of_tile(halves, blocks), of_quarter = clocks_of_tile(quarters, blocks);
    for (halves.at_once = 1; halves.at_once <= most(halves, blocks - 1); ++halves.at_once) {
      quarters.at_once = most(quarters, blocks - halves.at_once);
      const double clocks = std::max({of_squares, rounds_of(halves) * of_half, rounds_of(quarters) * of_quarter});
      if (seconds(clocks) < best.seconds) best = {{squares, halves, quarters}, seconds(clocks)};
    }
  }
  return best;
}

}  // namespace libsgemm::cuda
