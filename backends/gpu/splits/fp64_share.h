// The share of C that a call in mode fp32_fast left to FP64. Warps of its last kernel count the tiles into page-locked
// memory of the host.
#pragma once

#include <cstdint>

#include "contract/backend.h"
#include "gpu/batch.h"

namespace libsgemm::gpu {

constexpr unsigned kCountingWarps = 64;

// Memory for a launch with `tiles` tiles in all, one count for each of counting_warps(tiles). NULL if not requested, or
// without such memory.
uint32_t *count_fp64(uint64_t ticket, int64_t tiles, const Launch &launch);

// Warp w counts tiles from 32 w on, then every 32 * kCountingWarps tiles.
LIBSGEMM_HOST_DEVICE inline unsigned counting_warps(int64_t tiles) {
  return tiles > 32 * (int64_t{kCountingWarps} - 1) ? kCountingWarps : static_cast<unsigned>((tiles + 31) / 32);
}

// Backend::fp64_share.
double fp64_share(uint64_t ticket);

}  // namespace libsgemm::gpu
