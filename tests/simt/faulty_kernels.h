#pragma once

#include "runtime/launch.h"

namespace simt_test {

// Adjacent differences through shared memory. Without `barrier` __syncthreads is missing.
void __global__ differences(const float *x, float *y, bool barrier);
// Each half of the threads reaches another __syncthreads.
void __global__ divergent_barrier();
void __global__ early_exit();
// y = x by an asynchronous copy, without a wait unless `waits`.
void __global__ copied(const float *x, float *y, bool waits);
// y = the map's 8 x 8 box at (-1, 6) by TMA, without a wait unless `waits`.
void __global__ boxed(const simt::TensorMap map, int row, float *y, bool waits);
// Every block reads its cluster's writes. Without `last_barrier` it may leave before all have read.
void __global__ clustered(float *y, int blocks, bool last_barrier);
// Writes y[0] to y[n - 1] and `beyond` more.
void __global__ fill(float *y, int n, int beyond);
// Every block waits for the next; `closed`: the last one waits forever.
void __global__ chain(unsigned *flags, bool closed);

}  // namespace simt_test
