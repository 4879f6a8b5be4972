// The order in which FP64 tensor cores add: NVIDIA does not promise one. Measured on an H100 and an H200: FMAs in
// ascending k, from the accumulator on.
#pragma once

#include "contract/backend.h"
#include "runtime/device.h"

namespace libsgemm::cuda {

// True if the device adds so. Tried once in a process, on 4096 random tiles; false also if they cannot run.
bool adds_in_order(int index);

// Enqueues `rounds` tiles for each of kOrderWarps warps. Each block writes to its element of `results`, which the
// device can address: 1 for ascending FMAs, 2 for any other sum.
constexpr int kOrderBlocks = 32, kOrderWarps = 4 * kOrderBlocks, kOrderRounds = 4096 / kOrderWarps;
libsgemm_status_t launch_dmma_order(int rounds, uint32_t *results, const Launch &launch, Error *error);

}  // namespace libsgemm::cuda
