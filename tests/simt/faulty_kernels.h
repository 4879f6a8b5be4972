// Wrong kernels, which the runtime must expose.
#pragma once

#include "runtime/launch.h"

namespace simt_test {

// Adjacent differences through shared memory. `barrier` false leaves out the __syncthreads.
void __global__ differences(const float *x, float *y, bool barrier);
// Half of the threads, then the other half, at a __syncthreads each.
void __global__ divergent_barrier();
// One thread leaves before the barrier.
void __global__ early_exit();
// y = x through an asynchronous copy. `waits` false leaves out the wait.
void __global__ copied(const float *x, float *y, bool waits);
// y = the 8 x 8 box of the map at (-1, 6), brought by TMA. `waits` false leaves out the wait.
void __global__ boxed(const simt::TensorMap map, int row, float *y, bool waits);
// Every block reads what the others of its cluster wrote. `last_barrier` false lets it leave before all have read.
void __global__ clustered(float *y, int blocks, bool last_barrier);
// Writes y[0] to y[n - 1], `beyond` elements too far.
void __global__ fill(float *y, int n, int beyond);
// Every block waits for the next one; the last one never comes if `closed`.
void __global__ chain(unsigned *flags, bool closed);

}  // namespace simt_test
