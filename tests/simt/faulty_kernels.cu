#include "faulty_kernels.h"

#include "ptx.h"

namespace simt_test {

void __global__ differences(const float *x, float *y, bool barrier) {
  __shared__ float shared[256];
  const unsigned i = threadIdx.x;
  shared[i] = x[i];
  if (barrier) __syncthreads();
  y[i] = i == 0 ? 0.0f : shared[i] - shared[i - 1];
}

void __global__ divergent_barrier() {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

void __global__ early_exit() {
  if (threadIdx.x == 7) return;
  __syncthreads();
}

void __global__ copied(const float *x, float *y, bool waits) {
  __shared__ float shared[64];
  libsgemm::cuda::ptx::copy_async_4(shared + threadIdx.x, x + threadIdx.x, true);
  libsgemm::cuda::ptx::commit_copies();
  if (waits) libsgemm::cuda::ptx::wait_for_copies<0>();
  __syncthreads();
  y[threadIdx.x] = shared[63 - threadIdx.x];
}

void __global__ boxed(const simt::TensorMap map, int row, float *y, bool waits) {
  namespace ptx = libsgemm::cuda::ptx;
  __shared__ __align__(128) float shared[64];
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::barrier_init(ptx::shared_address(&barrier), 1);
    ptx::barrier_init_done();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::barrier_arrive_and_expect(ptx::shared_address(&barrier), sizeof shared);
    ptx::copy_box(ptx::shared_address(shared), &map, row, 6, ptx::shared_address(&barrier));
  }
  __syncthreads();
  if (waits) ptx::barrier_wait(ptx::shared_address(&barrier), 0);
  y[threadIdx.x] = shared[threadIdx.x];
  ptx::barrier_wait(ptx::shared_address(&barrier), 0);  // a block must not end before its copies
}

void __global__ clustered(float *y, int blocks, bool last_barrier) {
  namespace ptx = libsgemm::cuda::ptx;
  const uint32_t mine = ptx::shared_address(simt::dynamic_shared()) + 16 * threadIdx.x;
  const float value = static_cast<float>(blockIdx.x * blockDim.x + threadIdx.x);
  ptx::store_shared_x4(mine, make_float4(value, value, value, value));
  ptx::synchronize_cluster();
  float sum = 0.0f;
  for (int block = 0; block < blocks; ++block) sum += ptx::load_cluster_x4(mine, block).z;
  if (last_barrier) ptx::synchronize_cluster();
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void __global__ fill(float *y, int n, int beyond) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n + beyond) y[i] = 1.0f;
}

void __global__ chain(unsigned *flags, bool closed) {
  const unsigned next = blockIdx.x + 1;
  if (threadIdx.x == 0 && (next < gridDim.x || closed)) {
    while (atomicAdd(&flags[next], 0u) == 0) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&flags[blockIdx.x], 1u);
}

}  // namespace simt_test
