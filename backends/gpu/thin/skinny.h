// Host side of products with one long and one short side.
//
// C = op(A) op(B) with a short n and C^T = op(B)^T op(A)^T with a short m are one problem: R (wide x narrow) is X (wide
// x k) times Y (k x narrow). Only the strides of C differ.
//
// A unit of work is one tile of R times one k-step of a block. If the tiles fill the device, blocks compute whole
// tiles. Otherwise each block gets an equal share of all units (stream-K: Osama et al., PPoPP 2023), and a second
// kernel adds the partial sums of shared tiles in the order of k.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/backend.h"

namespace libsgemm::gpu {

struct SkinnyTile {
  int rows, columns;  // a warp's part of R
  int chunk;          // k of a warp's step
  int warps;          // of a block; halved until they fit shared memory
  int resident;       // blocks of a compute unit, if shared memory allows
  int narrow_most;    // longest short side
  size_t warp_bytes;
  double fma_share;  // share of fma_peak() with full compute units
  double slowdown;   // measured time relative to that by fma_share, to compare kernels; up to 1: ignored
  int64_t least_k = 1;
};

struct SkinnyWork {
  const float *x, *y;
  float *c;
  int64_t wide, narrow, k;
  int64_t x_ld;  // distance of the stored X's columns
  int64_t y_k, y_narrow;
  int64_t c_wide, c_narrow;
  int64_t x_stride, y_stride, c_stride;
  float alpha, beta;

  int warps_wide, warps_k;  // warps along the tile's long side, and k
  int64_t wide_tiles, narrow_tiles;
  int64_t units;                // number in a tile
  int64_t granule;              // blocks get multiples of it: all units of a tile, or one
  int64_t shares, share, rest;  // `shares` granules: `share` for each block, one more for the first `rest`
  float *partial;               // 2 tiles for each block: one that it continues, one that it begins
};

struct SkinnyPlan {
  SkinnyWork work;
  bool x_along_k, y_along_k;  // K-major
  int64_t tiles;
  int64_t blocks;
  int threads;
  size_t shared_bytes, workspace_bytes;  // no workspace: no shared tile
  double seconds;
};

void set_skinny_operands(const GemmDesc &desc, SkinnyPlan *plan);
void set_skinny_shares(SkinnyWork *work, int64_t tiles, int64_t blocks, bool share_tiles);

bool skinny_supports(const SkinnyTile &tile, const GemmDesc &desc, int device);
SkinnyPlan skinny_plan(const SkinnyTile &tile, const GemmDesc &desc, int device);

// Each backend defines it by skinny_sum.h.
libsgemm_status_t sum_skinny_partials(const SkinnyTile &tile, const SkinnyPlan &plan, const Launch &launch,
                                      Error *error);

}  // namespace libsgemm::gpu
