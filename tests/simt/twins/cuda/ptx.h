// Replaces backends/cuda/ptx.h in the CPU emulation.
#pragma once

#include <cuda_runtime.h>

#include "contract/half.h"
#include "simt/fibers/matrix_instructions.h"

namespace libsgemm::cuda::ptx {

inline void copy_async_4(float *shared, const float *global, bool valid) { simt::copy_async(shared, global, 4, valid); }
inline void copy_async_16(float *shared, const float *global, bool valid) {
  simt::copy_async(shared, global, 16, valid);
}
// A partial chunk lands by elements.
template <int Bytes>
void copy_async_elements(void *shared, const void *global, int valid) {
  if (valid == 0 || valid == Bytes) return simt::copy_async(shared, global, Bytes, valid == Bytes);
  for (int i = 0; i < Bytes; i += 2) {
    simt::copy_async(static_cast<char *>(shared) + i, static_cast<const char *>(global) + i, 2, i < valid);
  }
}
inline void copy_async_part(void *shared, const void *global, int valid) {
  copy_async_elements<16>(shared, global, valid);
}
inline void commit_copies() { simt::commit_copies(); }
template <int Pending>
void wait_for_copies() {
  simt::wait_for_copies(Pending);
}

inline float load_streamed(const float *global) { return *global; }
inline float4 load_streamed_x4(const float *global) { return *reinterpret_cast<const float4 *>(global); }

inline void prefetch_to_l2(const void *) {}

inline uint32_t to_f16_pair(float x, float y) {
  return f16_from_float(x) | static_cast<uint32_t>(f16_from_float(y)) << 16;
}
inline uint32_t to_bf16_pair(float x, float y) {
  return bf16_from_float(x) | static_cast<uint32_t>(bf16_from_float(y)) << 16;
}

inline uint32_t shared_address(const void *shared) { return simt::shared_address(shared); }
inline void copy_async_word(uint32_t shared, const void *global, int valid) {
  copy_async_elements<4>(simt::shared_pointer(shared, 4), global, valid);
}
inline void store_word(uint32_t shared, uint32_t word) {
  std::memcpy(simt::shared_pointer(shared, 4), &word, sizeof word);
}

inline const char *matrix_row(uint32_t shared, unsigned row) {
  const uint32_t address = __shfl_sync(~0u, shared, static_cast<int>(row));
  if (address % 16 != 0) simt::fail("reads a row of a matrix that is not aligned to 16 bytes");
  return static_cast<const char *>(simt::shared_pointer(address, 16));
}
inline void load_matrices(uint32_t (&to)[4], uint32_t shared) {
  const unsigned lane = simt::lane();
  for (unsigned q = 0; q < 4; ++q) std::memcpy(&to[q], matrix_row(shared, 8 * q + lane / 4) + lane % 4 * 4, 4);
}
inline void load_matrices_transposed(uint32_t (&to)[4], uint32_t shared) {
  const unsigned lane = simt::lane();
  for (unsigned q = 0; q < 4; ++q) {
    uint16_t pair[2];
    for (unsigned i = 0; i < 2; ++i) {
      std::memcpy(&pair[i], matrix_row(shared, 8 * q + lane % 4 * 2 + i) + lane / 4 * 2, 2);
    }
    std::memcpy(&to[q], pair, 4);
  }
}
inline void multiply_matrices(const simt::MatrixOp &op, bool fresh, float *sum, const uint32_t *x, const uint32_t *y) {
  float values[4] = {};
  if (!fresh) std::memcpy(values, sum, sizeof values);
  simt::matrix_multiply(op, x, y, values);
  std::memcpy(sum, values, sizeof values);
}
template <bool Fresh = false>
void mma_f16(float *sum, const uint32_t *x, const uint32_t *y) {
  multiply_matrices(simt::mma_f16, Fresh, sum, x, y);
}
template <bool Fresh = false>
void mma_bf16(float *sum, const uint32_t *x, const uint32_t *y) {
  multiply_matrices(simt::mma_bf16, Fresh, sum, x, y);
}
template <bool Fresh = false>
void mma_tf32(float *sum, const uint32_t *x, const uint32_t *y) {
  multiply_matrices(simt::mma_tf32, Fresh, sum, x, y);
}
inline void mma_f64(double (&sum)[4], const double (&x)[8], const double (&y)[4]) {
  simt::matrix_multiply(simt::mma_f64, x, y, sum);
}
inline void mma_f64(double (&sum)[2], const double (&x)[1], const double (&y)[1]) {
  simt::matrix_multiply(simt::mma_f64_m8n8k4, x, y, sum);
}
inline uint32_t round_to_tf32(uint32_t bits) { return bits_of(libsgemm::round_to_tf32(float_from_bits(bits))); }

inline simt::Mbarrier *barrier_at(uint32_t address) {
  return static_cast<simt::Mbarrier *>(simt::shared_pointer(address, sizeof(simt::Mbarrier)));
}
inline void barrier_init(uint32_t barrier, unsigned arrivals) { simt::mbarrier_init(barrier_at(barrier), arrivals); }
inline void barrier_init_done() {}
inline void order_with_tma() { simt::make_writes_known(); }
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
  simt::note_write(shared, sizeof v);
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
inline void keep_in_register(int &) {}
inline void keep_in_register(int64_t &) {}
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

inline void wait_for_grid_before() { simt::wait_for_grid_before(); }
inline void let_next_grid_start() {}

}  // namespace libsgemm::cuda::ptx
