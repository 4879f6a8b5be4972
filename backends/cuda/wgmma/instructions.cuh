// Instructions of sm_90a: warpgroup products (wgmma), TMA copies, cluster barriers. Others are in ptx.h.
//
// A warpgroup is four consecutive warps. wgmma multiplies tiles in shared memory; x may also be in registers:
//
//   sum (64 x N) (+)= x (64 x 16) y (N x 16)^T     TF32: k = 8, the same bytes
//
//   lane l of warp w: sum[4 j + 2 r + c] is row 16 w + l / 4 + 8 r, column 8 j + 2 (l % 4) + c
//
// Source: NVIDIA, PTX ISA (wgmma.mma_async, matrix descriptors, cp.async.bulk.tensor, mbarrier).
#pragma once

#include "operand_lines.cuh"
#include "ptx.h"
#include "tensor/tensor_tile.cuh"

namespace libsgemm::cuda::ptx {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// Required between ordinary writes to the accumulators and the first wgmma that adds to them.
__device__ __forceinline__ void wgmma_fence() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void wgmma_commit() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
// Waits until at most the kPending latest groups are in flight.
template <int kPending>
__device__ __forceinline__ void wgmma_wait() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
#endif
}

// Operand numbers of the accumulators in the asm text.
#define LIBSGEMM_WGMMA_TEXT_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define LIBSGEMM_WGMMA_TEXT_16 LIBSGEMM_WGMMA_TEXT_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define LIBSGEMM_WGMMA_TEXT_24 LIBSGEMM_WGMMA_TEXT_16 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define LIBSGEMM_WGMMA_TEXT_32 LIBSGEMM_WGMMA_TEXT_24 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define LIBSGEMM_WGMMA_TEXT_40 LIBSGEMM_WGMMA_TEXT_32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define LIBSGEMM_WGMMA_TEXT_48 LIBSGEMM_WGMMA_TEXT_40 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define LIBSGEMM_WGMMA_TEXT_56 LIBSGEMM_WGMMA_TEXT_48 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define LIBSGEMM_WGMMA_TEXT_64 LIBSGEMM_WGMMA_TEXT_56 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define LIBSGEMM_WGMMA_TEXT_72 LIBSGEMM_WGMMA_TEXT_64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define LIBSGEMM_WGMMA_TEXT_80 LIBSGEMM_WGMMA_TEXT_72 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define LIBSGEMM_WGMMA_TEXT_88 LIBSGEMM_WGMMA_TEXT_80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define LIBSGEMM_WGMMA_TEXT_96 LIBSGEMM_WGMMA_TEXT_88 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define LIBSGEMM_WGMMA_TEXT_104 LIBSGEMM_WGMMA_TEXT_96 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define LIBSGEMM_WGMMA_TEXT_112 LIBSGEMM_WGMMA_TEXT_104 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define LIBSGEMM_WGMMA_TEXT_120 LIBSGEMM_WGMMA_TEXT_112 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define LIBSGEMM_WGMMA_TEXT_128 LIBSGEMM_WGMMA_TEXT_120 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define LIBSGEMM_WGMMA_SUMS_FROM(i)                                                                       \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), \
      "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define LIBSGEMM_WGMMA_SUMS_8 LIBSGEMM_WGMMA_SUMS_FROM(0)
#define LIBSGEMM_WGMMA_SUMS_16 LIBSGEMM_WGMMA_SUMS_8, LIBSGEMM_WGMMA_SUMS_FROM(8)
#define LIBSGEMM_WGMMA_SUMS_24 LIBSGEMM_WGMMA_SUMS_16, LIBSGEMM_WGMMA_SUMS_FROM(16)
#define LIBSGEMM_WGMMA_SUMS_32 LIBSGEMM_WGMMA_SUMS_24, LIBSGEMM_WGMMA_SUMS_FROM(24)
#define LIBSGEMM_WGMMA_SUMS_40 LIBSGEMM_WGMMA_SUMS_32, LIBSGEMM_WGMMA_SUMS_FROM(32)
#define LIBSGEMM_WGMMA_SUMS_48 LIBSGEMM_WGMMA_SUMS_40, LIBSGEMM_WGMMA_SUMS_FROM(40)
#define LIBSGEMM_WGMMA_SUMS_56 LIBSGEMM_WGMMA_SUMS_48, LIBSGEMM_WGMMA_SUMS_FROM(48)
#define LIBSGEMM_WGMMA_SUMS_64 LIBSGEMM_WGMMA_SUMS_56, LIBSGEMM_WGMMA_SUMS_FROM(56)
#define LIBSGEMM_WGMMA_SUMS_72 LIBSGEMM_WGMMA_SUMS_64, LIBSGEMM_WGMMA_SUMS_FROM(64)
#define LIBSGEMM_WGMMA_SUMS_80 LIBSGEMM_WGMMA_SUMS_72, LIBSGEMM_WGMMA_SUMS_FROM(72)
#define LIBSGEMM_WGMMA_SUMS_88 LIBSGEMM_WGMMA_SUMS_80, LIBSGEMM_WGMMA_SUMS_FROM(80)
#define LIBSGEMM_WGMMA_SUMS_96 LIBSGEMM_WGMMA_SUMS_88, LIBSGEMM_WGMMA_SUMS_FROM(88)
#define LIBSGEMM_WGMMA_SUMS_104 LIBSGEMM_WGMMA_SUMS_96, LIBSGEMM_WGMMA_SUMS_FROM(96)
#define LIBSGEMM_WGMMA_SUMS_112 LIBSGEMM_WGMMA_SUMS_104, LIBSGEMM_WGMMA_SUMS_FROM(104)
#define LIBSGEMM_WGMMA_SUMS_120 LIBSGEMM_WGMMA_SUMS_112, LIBSGEMM_WGMMA_SUMS_FROM(112)
#define LIBSGEMM_WGMMA_SUMS_128 LIBSGEMM_WGMMA_SUMS_120, LIBSGEMM_WGMMA_SUMS_FROM(120)

// Example of `shape`: "m64n256k16.f32.f16.f16". `sums`: number of accumulators; x_at, y_at, add_at: operand numbers;
// `order`: majorness of x and y such as ", 0, 1", empty for TF32.
#define LIBSGEMM_WGMMA(shape, sums, x_at, y_at, add_at, order)                                                  \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" add_at                                                  \
               ", 0;\n"                                                                                         \
               "wgmma.mma_async.sync.aligned." shape " {" LIBSGEMM_WGMMA_TEXT_##sums "}, %" x_at ", %" y_at     \
                                                                                     ", add, 1, 1" order ";\n}" \
               : LIBSGEMM_WGMMA_SUMS_##sums                                                                     \
               : "l"(x), "l"(y), "r"(add))
#define LIBSGEMM_WGMMA_ORDERS(shape, sums, x_at, y_at, add_at)                                    \
  if constexpr (kXAlongK && kYAlongK) LIBSGEMM_WGMMA(shape, sums, x_at, y_at, add_at, ", 0, 0");  \
  if constexpr (kXAlongK && !kYAlongK) LIBSGEMM_WGMMA(shape, sums, x_at, y_at, add_at, ", 0, 1"); \
  if constexpr (!kXAlongK && kYAlongK) LIBSGEMM_WGMMA(shape, sums, x_at, y_at, add_at, ", 1, 0"); \
  if constexpr (!kXAlongK && !kYAlongK) LIBSGEMM_WGMMA(shape, sums, x_at, y_at, add_at, ", 1, 1")
#define LIBSGEMM_WGMMA_NUMBERS(n, sums, x_at, y_at, add_at)                        \
  if constexpr (kNumber == Number::tf32) {                                         \
    LIBSGEMM_WGMMA("m64n" n "k8.f32.tf32.tf32", sums, x_at, y_at, add_at, "");     \
  } else if constexpr (kNumber == Number::f16) {                                   \
    LIBSGEMM_WGMMA_ORDERS("m64n" n "k16.f32.f16.f16", sums, x_at, y_at, add_at);   \
  } else {                                                                         \
    LIBSGEMM_WGMMA_ORDERS("m64n" n "k16.f32.bf16.bf16", sums, x_at, y_at, add_at); \
  }

// Issues sum (64 x kN) (+)= x y^T; sums start at zero if `add` is 0. Accumulators stay untouched until wgmma_wait().
template <Number kNumber, int kN, bool kXAlongK, bool kYAlongK>
__device__ __forceinline__ void wgmma(float (&sum)[kN / 2], uint64_t x, uint64_t y, int add) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  static_assert(kNumber != Number::tf32 || (kXAlongK && kYAlongK), "TF32 is read along k only");
  if constexpr (kN == 16) {
    LIBSGEMM_WGMMA_NUMBERS("16", 8, "8", "9", "10")
  } else if constexpr (kN == 32) {
    LIBSGEMM_WGMMA_NUMBERS("32", 16, "16", "17", "18")
  } else if constexpr (kN == 48) {
    LIBSGEMM_WGMMA_NUMBERS("48", 24, "24", "25", "26")
  } else if constexpr (kN == 64) {
    LIBSGEMM_WGMMA_NUMBERS("64", 32, "32", "33", "34")
  } else if constexpr (kN == 80) {
    LIBSGEMM_WGMMA_NUMBERS("80", 40, "40", "41", "42")
  } else if constexpr (kN == 96) {
    LIBSGEMM_WGMMA_NUMBERS("96", 48, "48", "49", "50")
  } else if constexpr (kN == 112) {
    LIBSGEMM_WGMMA_NUMBERS("112", 56, "56", "57", "58")
  } else if constexpr (kN == 128) {
    LIBSGEMM_WGMMA_NUMBERS("128", 64, "64", "65", "66")
  } else if constexpr (kN == 144) {
    LIBSGEMM_WGMMA_NUMBERS("144", 72, "72", "73", "74")
  } else if constexpr (kN == 160) {
    LIBSGEMM_WGMMA_NUMBERS("160", 80, "80", "81", "82")
  } else if constexpr (kN == 176) {
    LIBSGEMM_WGMMA_NUMBERS("176", 88, "88", "89", "90")
  } else if constexpr (kN == 192) {
    LIBSGEMM_WGMMA_NUMBERS("192", 96, "96", "97", "98")
  } else if constexpr (kN == 208) {
    LIBSGEMM_WGMMA_NUMBERS("208", 104, "104", "105", "106")
  } else if constexpr (kN == 224) {
    LIBSGEMM_WGMMA_NUMBERS("224", 112, "112", "113", "114")
  } else if constexpr (kN == 240) {
    LIBSGEMM_WGMMA_NUMBERS("240", 120, "120", "121", "122")
  } else {
    static_assert(kN == 256, "a multiple of 16");
    LIBSGEMM_WGMMA_NUMBERS("256", 128, "128", "129", "130")
  }
#endif
}

#define LIBSGEMM_WGMMA_REGISTERS(n, sums, x0, x1, x2, x3, y_at, add_at)                              \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" add_at                                       \
               ", 0;\n"                                                                              \
               "wgmma.mma_async.sync.aligned.m64n" n "k8.f32.tf32.tf32 {" LIBSGEMM_WGMMA_TEXT_##sums \
               "}, {%" x0 ", %" x1 ", %" x2 ", %" x3 "}, %" y_at ", add, 1, 1;\n}"                   \
               : LIBSGEMM_WGMMA_SUMS_##sums                                                          \
               : "r"(__float_as_uint(x[0])), "r"(__float_as_uint(x[1])), "r"(__float_as_uint(x[2])), \
                 "r"(__float_as_uint(x[3])), "l"(y), "r"(add));

// wgmma() with TF32 x in registers, which must not change before wgmma_wait(): x[h + 2 q] is row 16 w + l / 4 + 8 h,
// k = l % 4 + 4 q.
template <int kN>
__device__ __forceinline__ void wgmma_tf32(float (&sum)[kN / 2], const float (&x)[4], uint64_t y, int add) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  if constexpr (kN == 64) {
    LIBSGEMM_WGMMA_REGISTERS("64", 32, "32", "33", "34", "35", "36", "37")
  } else {
    static_assert(kN == 256, "one of those in use");
    LIBSGEMM_WGMMA_REGISTERS("256", 128, "128", "129", "130", "131", "132", "133")
  }
#endif
}

// True for one thread of the warp. The compiler knows that it is one, so copies need no loop over lanes.
__device__ __forceinline__ bool elect_one() {
  uint32_t chosen;
  asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;\n}" : "=r"(chosen));
  return chosen != 0;
}

// Copies the map's box at (x, y, plane, product) to shared memory, aligned to 1024 bytes.
__device__ __forceinline__ void copy_box(uint32_t shared, const void *map, int x, int y, int plane, int product,
                                         uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
      "[%6];" ::"r"(shared),
      "l"(map), "r"(x), "r"(y), "r"(plane), "r"(product), "r"(barrier)
      : "memory");
}
// copy_box() to the blocks of the cluster whose bits are set. Each block's own barrier counts its bytes.
__device__ __forceinline__ void copy_box_to(unsigned blocks, uint32_t shared, const void *map, int x, int y, int plane,
                                            int product, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, "
      "%3, "
      "%4, %5}], [%6], %7;" ::"r"(shared),
      "l"(map), "r"(x), "r"(y), "r"(plane), "r"(product), "r"(barrier), "h"(static_cast<uint16_t>(blocks))
      : "memory");
}
// Copies channels from `c` on. Pixels start at (w, h) of image `n`, moved by `down` rows and `right` columns.
__device__ __forceinline__ void copy_pixels(uint32_t shared, const void *map, int c, int w, int h, int n, int right,
                                            int down, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, "
      "%5}], "
      "[%6], {%7, %8};" ::"r"(shared),
      "l"(map), "r"(c), "r"(w), "r"(h), "r"(n), "r"(barrier), "h"(static_cast<uint16_t>(right)),
      "h"(static_cast<uint16_t>(down))
      : "memory");
}
__device__ __forceinline__ void copy_pixels_to_pair(uint32_t shared, const void *map, int c, int w, int h, int n,
                                                    int right, int down, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, "
      "{%2, %3, %4, %5}], [%6], {%7, %8}, %9;" ::"r"(shared),
      "l"(map), "r"(c), "r"(w), "r"(h), "r"(n), "r"(barrier), "h"(static_cast<uint16_t>(right)),
      "h"(static_cast<uint16_t>(down)), "h"(static_cast<uint16_t>(3))
      : "memory");
}
// Copies a box from shared memory, aligned to 128 bytes; elements outside the map's array are left out. The copy sees
// what the thread wrote before order_with_tma(). store_wait() waits until all groups but the latest kPending are read.
__device__ __forceinline__ void store_box(const void *map, uint32_t shared, int x, int y, int plane, int product) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(map), "r"(x),
               "r"(y), "r"(plane), "r"(product), "r"(shared)
               : "memory");
}
__device__ __forceinline__ void store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int kPending>
__device__ __forceinline__ void store_wait() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}
__device__ __forceinline__ void store_shared_x2(uint32_t shared, float x, float y) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(shared), "f"(x), "f"(y) : "memory");
}
__device__ __forceinline__ void prefetch_map(const void *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// Avoids the subroutine of sqrtf().
__device__ __forceinline__ float approximate_sqrt(float x) {
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
}

__device__ __forceinline__ int cluster_rank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// Arrives at the same barrier in block `block` of the cluster, relaxed: it follows reads by wgmma, and a release would
// wait for all writes of the thread.
__device__ __forceinline__ void barrier_arrive_at(uint32_t barrier, int block) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [there];\n"
      "}" ::"r"(barrier),
      "r"(block)
      : "memory");
}

#endif

}  // namespace libsgemm::cuda::ptx
