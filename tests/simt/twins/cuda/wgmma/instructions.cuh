// Replaces backends/cuda/wgmma/instructions.cuh.
#pragma once

#include "operand_lines.cuh"
#include "ptx.h"
#include "tensor/tensor_tile.cuh"

namespace libsgemm::cuda::ptx {

inline void wgmma_fence() { simt::warpgroup_fence(); }
inline void wgmma_commit() { simt::warpgroup_commit(); }
template <int kPending>
void wgmma_wait() {
  simt::warpgroup_wait(kPending);
}
template <Number kNumber, int kN, bool kXAlongK, bool kYAlongK>
void wgmma(float (&sum)[kN / 2], uint64_t x, uint64_t y, int add) {
  static_assert(kNumber != Number::tf32 || (kXAlongK && kYAlongK), "TF32 is read along k only");
  static_assert(kN % 8 == 0 && kN >= 8 && kN <= 256, "columns of an instruction");
  using simt::WarpgroupNumber;
  constexpr WarpgroupNumber kTheirs = kNumber == Number::tf32  ? WarpgroupNumber::tf32
                                      : kNumber == Number::f16 ? WarpgroupNumber::f16
                                                               : WarpgroupNumber::bf16;
  simt::warpgroup_multiply({kTheirs, kN, kXAlongK, kYAlongK}, sum, x, y, add != 0);
}

template <int kN>
void wgmma_tf32(float (&sum)[kN / 2], const float (&x)[4], uint64_t y, int add) {
  simt::warpgroup_multiply({simt::WarpgroupNumber::tf32, kN, true, true}, sum, x, y, add != 0);
}

inline bool elect_one() { return threadIdx.x % 32 == 0; }
inline simt::ArrayMap array_of(const void *map) {
  simt::ArrayMap array;
  std::memcpy(&array, map, sizeof array);
  return array;
}
inline void copy_box_to(unsigned blocks, uint32_t shared, const void *map, int x, int y, int plane, int product,
                        uint32_t barrier) {
  simt::copy_box(shared, array_of(map), {x, y, plane, product}, barrier, blocks);
}
inline void copy_box(uint32_t shared, const void *map, int x, int y, int plane, int product, uint32_t barrier) {
  copy_box_to(1u << simt::cluster_rank(), shared, map, x, y, plane, product, barrier);
}
inline void copy_pixels(uint32_t shared, const void *map, int c, int w, int h, int n, int right, int down,
                        uint32_t barrier) {
  simt::copy_pixels(shared, array_of(map), {c, w, h, n}, {right, down}, barrier, 1u << simt::cluster_rank());
}
inline void copy_pixels_to_pair(uint32_t shared, const void *map, int c, int w, int h, int n, int right, int down,
                                uint32_t barrier) {
  simt::copy_pixels(shared, array_of(map), {c, w, h, n}, {right, down}, barrier, 3);
}
inline void store_box(const void *map, uint32_t shared, int x, int y, int plane, int product) {
  simt::store_box(array_of(map), shared, {x, y, plane, product});
}
inline void store_commit() { simt::commit_stores(); }
template <int kPending>
void store_wait() {
  simt::wait_for_stores(kPending);
}
inline void store_shared_x2(uint32_t shared, float x, float y) {
  *static_cast<float2 *>(simt::shared_pointer(shared, sizeof(float2))) = {x, y};
  simt::note_write(shared, sizeof(float2));
}
inline void prefetch_map(const void *) {}
inline float approximate_sqrt(float x) { return std::sqrt(x); }

inline int cluster_rank() { return static_cast<int>(simt::cluster_rank()); }
inline void barrier_arrive_at(uint32_t barrier, int block) {
  simt::mbarrier_arrive(static_cast<simt::Mbarrier *>(
      simt::cluster_pointer(barrier, sizeof(simt::Mbarrier), static_cast<unsigned>(block))));
}

}  // namespace libsgemm::cuda::ptx
