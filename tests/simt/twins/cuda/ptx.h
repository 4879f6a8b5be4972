// Stands for backends/cuda/ptx.h: the same functions, on the CPU. Copies are deferred as long as the program permits.
#pragma once

#include <cuda_runtime.h>

namespace libsgemm::cuda::ptx {

inline void copy_async_4(float *shared, const float *global, bool valid) { simt::copy_async(shared, global, 4, valid); }
inline void copy_async_16(float *shared, const float *global, bool valid) {
  simt::copy_async(shared, global, 16, valid);
}
inline void commit_copies() { simt::commit_copies(); }
template <int Pending>
void wait_for_copies() {
  simt::wait_for_copies(Pending);
}

inline float load_streamed(const float *global) { return *global; }
inline float4 load_streamed_x4(const float *global) { return *reinterpret_cast<const float4 *>(global); }

inline uint32_t shared_address(const void *shared) { return simt::shared_address(shared); }
inline simt::Mbarrier *barrier_at(uint32_t address) {
  return static_cast<simt::Mbarrier *>(simt::shared_pointer(address, sizeof(simt::Mbarrier)));
}
inline void barrier_init(uint32_t barrier, unsigned arrivals) { simt::mbarrier_init(barrier_at(barrier), arrivals); }
inline void barrier_init_done() {}
inline void order_with_copy_engine() {}
inline void barrier_arrive(uint32_t barrier) { simt::mbarrier_arrive(barrier_at(barrier)); }
inline void barrier_arrive_and_expect(uint32_t barrier, unsigned bytes) {
  simt::mbarrier_expect(barrier_at(barrier), bytes);
  simt::mbarrier_arrive(barrier_at(barrier));
}
inline void barrier_wait(uint32_t barrier, unsigned parity) {
  while (!simt::mbarrier_test(barrier_at(barrier), parity)) {
  }
}
inline void copy_box(uint32_t shared, const void *map, int x, int y, uint32_t barrier) {
  simt::TensorMap tensor;
  std::memcpy(&tensor, map, sizeof tensor);
  const size_t bytes = size_t{4} * tensor.box_rows * tensor.box_columns;
  simt::copy_box(static_cast<float *>(simt::shared_pointer(shared, bytes)), tensor, x, y, barrier_at(barrier));
}
inline float load_shared(uint32_t shared) {
  return *static_cast<const float *>(simt::shared_pointer(shared, sizeof(float)));
}
inline float4 load_shared_x4(uint32_t shared) {
  return *static_cast<const float4 *>(simt::shared_pointer(shared, sizeof(float4)));
}
inline void store_shared(uint32_t shared, float v) {
  *static_cast<float *>(simt::shared_pointer(shared, sizeof v)) = v;
}
inline void store_shared_x4(uint32_t shared, float4 v) {
  *static_cast<float4 *>(simt::shared_pointer(shared, sizeof v)) = v;
}
inline float4 load_cluster_x4(uint32_t shared, int block) {
  return *static_cast<const float4 *>(simt::cluster_pointer(shared, sizeof(float4), static_cast<unsigned>(block)));
}
inline void synchronize_cluster() { simt::cluster_sync(); }

template <int Count>
void take_registers() {}
template <int Count>
void give_registers() {}
inline int uniform(int value) { return __shfl_sync(~0u, value, 0); }
inline void keep_in_register(uint32_t &) {}
inline void synchronize_threads(int index, int threads) {
  simt::barrier_sync(index, static_cast<unsigned>(threads), 0);
}

inline unsigned load_acquire(const unsigned *global) {
  simt::yield();
  return *global;
}
inline void store_release(unsigned *global, unsigned value) {
  *global = value;
  simt::progress();
}

}  // namespace libsgemm::cuda::ptx
