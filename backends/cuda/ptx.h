// Instructions without an intrinsic in CUDA C++. If the architecture lacks one, or the code runs on a CPU, plain C++
// replaces it.
#pragma once

#include <cstdint>

namespace libsgemm::cuda::ptx {

// ---- Asynchronous copies from global to shared memory (sm_80). They write zeros if not `valid`.

__device__ __forceinline__ void copy_async_4(float *shared, const float *global, bool valid) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(target), "l"(global), "r"(valid ? 4 : 0)
               : "memory");
#else
  *shared = valid ? *global : 0.0f;
#endif
}

// Both addresses are multiples of 16 bytes.
__device__ __forceinline__ void copy_async_16(float *shared, const float *global, bool valid) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(global), "r"(valid ? 16 : 0)
               : "memory");
#else
  *reinterpret_cast<float4 *>(shared) =
      valid ? *reinterpret_cast<const float4 *>(global) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#endif
}

// Copies `valid` bytes, 0 to 16, and pads with zeros. Addresses are multiples of 16 bytes. compute-sanitizer's
// initcheck sees a read of 16 bytes, and reports padding that was never written.
__device__ __forceinline__ void copy_async_part(void *shared, const void *global, int valid) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(global), "r"(valid) : "memory");
#endif
}

__device__ __forceinline__ void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most the thread's `Pending` latest groups are in flight.
template <int Pending>
__device__ __forceinline__ void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

// Keeps a value in a register that the compiler would recompute in a loop.
__device__ __forceinline__ void keep_in_register(uint32_t &value) { asm volatile("mov.b32 %0, %0;" : "+r"(value)); }
__device__ __forceinline__ void keep_in_register(int &value) { asm volatile("mov.b32 %0, %0;" : "+r"(value)); }
__device__ __forceinline__ void keep_in_register(int64_t &value) { asm volatile("mov.b64 %0, %0;" : "+l"(value)); }

// ---- Loads of data that a kernel reads once

__device__ __forceinline__ float load_streamed(const float *global) {
  float v;
  asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(global));
  return v;
}
__device__ __forceinline__ float4 load_streamed_x4(const float *global) {
  float4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(global));
  return v;
}

__device__ __forceinline__ void prefetch_to_l2(const void *global) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(global));
}

__device__ __forceinline__ uint32_t shared_address(const void *shared) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

// Copies a word of which `valid` bytes count: 0, 2 or 4.
__device__ __forceinline__ void copy_async_word(uint32_t shared, const void *global, int valid) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(global), "r"(valid) : "memory");
#endif
}
__device__ __forceinline__ void store_word(uint32_t shared, uint32_t word) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(shared), "r"(word) : "memory");
}

// ---- Fragments for tensor cores (sm_75): four matrices of 8 rows of 16 bytes. Lane l gives the address of row l % 8
// of matrix l / 8. It receives word l % 4 of row l / 4 of each matrix.

__device__ __forceinline__ void load_matrices(uint32_t (&to)[4], uint32_t shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared)
               : "memory");
}
// Transposes 16-bit elements.
__device__ __forceinline__ void load_matrices_transposed(uint32_t (&to)[4], uint32_t shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared)
               : "memory");
}

// Load a fragment of wmma: 16 x 16 of bfloat16, 16 x 8 (A) or 8 x 16 (B) of TF32. `pitch`: elements between lines.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define LIBSGEMM_WMMA_LOAD(use, layout, type)                                                   \
  asm volatile("wmma.load." use ".sync.aligned." layout "." type " {%0, %1, %2, %3}, [%4], %5;" \
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])                             \
               : "r"(shared), "r"(pitch)                                                        \
               : "memory")
#define LIBSGEMM_WMMA_LOADS(type)                                       \
  if constexpr (kA && kRowMajor) LIBSGEMM_WMMA_LOAD("a", "row", type);  \
  if constexpr (kA && !kRowMajor) LIBSGEMM_WMMA_LOAD("a", "col", type); \
  if constexpr (!kA && kRowMajor) LIBSGEMM_WMMA_LOAD("b", "row", type); \
  if constexpr (!kA && !kRowMajor) LIBSGEMM_WMMA_LOAD("b", "col", type);
template <bool kA, bool kRowMajor>
__device__ __forceinline__ void load_wmma_bf16(uint32_t (&to)[4], uint32_t shared, int pitch) {
  LIBSGEMM_WMMA_LOADS("m16n16k16.shared.bf16")
}
template <bool kA, bool kRowMajor>
__device__ __forceinline__ void load_wmma_tf32(uint32_t (&to)[4], uint32_t shared, int pitch) {
  LIBSGEMM_WMMA_LOADS("m16n16k8.shared.tf32")
}
#undef LIBSGEMM_WMMA_LOADS
#undef LIBSGEMM_WMMA_LOAD
#endif

// ---- Products on tensor cores: sum (16 x 8) += x (16 x k) * y (k x 8) with k = 16, or 8 for TF32. They are not
// volatile, so that the compiler can reorder them. `Fresh`: the old sum is ignored.

#define LIBSGEMM_MMA(shape, type)                                                       \
  if constexpr (Fresh) {                                                                \
    asm("mma.sync.aligned." shape ".row.col.f32." type "." type                         \
        ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"      \
        : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])                        \
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "f"(0.0f)); \
  } else {                                                                              \
    asm("mma.sync.aligned." shape ".row.col.f32." type "." type                         \
        ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"          \
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                        \
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));            \
  }

template <bool Fresh = false>
__device__ __forceinline__ void mma_f16(float *sum, const uint32_t *x, const uint32_t *y) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  LIBSGEMM_MMA("m16n8k16", "f16");
#else  // sm_75: two halves of k
  if constexpr (Fresh) sum[0] = sum[1] = sum[2] = sum[3] = 0.0f;
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(x[0]), "r"(x[1]), "r"(y[0]));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(x[2]), "r"(x[3]), "r"(y[1]));
#endif
}
template <bool Fresh = false>
__device__ __forceinline__ void mma_bf16(float *sum, const uint32_t *x, const uint32_t *y) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  LIBSGEMM_MMA("m16n8k16", "bf16");
#endif
}
template <bool Fresh = false>
__device__ __forceinline__ void mma_tf32(float *sum, const uint32_t *x, const uint32_t *y) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  LIBSGEMM_MMA("m16n8k8", "tf32");
#endif
}
#undef LIBSGEMM_MMA

// sum (16 x 8) += x (16 x 16) * y (16 x 8) of doubles (sm_90).
__device__ __forceinline__ void mma_f64(double (&sum)[4], const double (&x)[8], const double (&y)[4]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
      "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]), "d"(y[0]), "d"(y[1]),
        "d"(y[2]), "d"(y[3]));
#endif
}
// sum (8 x 8) += x (8 x 4) * y (4 x 8) of doubles (sm_80).
__device__ __forceinline__ void mma_f64(double (&sum)[2], const double (&x)[1], const double (&y)[1]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(sum[0]), "+d"(sum[1])
      : "d"(x[0]), "d"(y[0]));
#endif
}

// Rounds to nearest, ties to even, as TMA does. The result is in the 19 highest bits, all that mma.sync reads: a NaN
// with a mantissa of zero there becomes Inf.
__device__ __forceinline__ uint32_t round_to_tf32(uint32_t bits) {
  const uint32_t nearest = bits + 0xfffu + (bits >> 13 & 1u);
  return fabsf(__uint_as_float(bits)) < __uint_as_float(0x7f800000u) ? nearest : bits;
}

// Round to nearest, ties to even; `x` is in the low half (sm_80).
__device__ __forceinline__ uint32_t to_f16_pair(float x, float y) {
  uint32_t bits = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(y), "f"(x));
#endif
  return bits;
}
__device__ __forceinline__ uint32_t to_bf16_pair(float x, float y) {
  uint32_t bits = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(y), "f"(x));
#endif
  return bits;
}

// ---- Barriers in shared memory and copies of boxes by TMA (sm_90)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// A phase ends after `arrivals`. One thread initialises and calls barrier_init_done(), then all threads synchronise.
__device__ __forceinline__ void barrier_init(uint32_t barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void barrier_init_done() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void barrier_arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives; the phase then also waits for `bytes` of copies.
__device__ __forceinline__ void barrier_arrive_and_expect(uint32_t barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Waits for the end of the phase of this parity; the phase before the first has parity 1. All lanes call it.
__device__ __forceinline__ void barrier_wait(uint32_t barrier, unsigned parity) {
  uint32_t done;
  do {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done;\n"
        "}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (done == 0);
}

// Copies the box at (x, y) to shared memory, aligned to 128 bytes. Elements outside the matrix become zeros.
__device__ __forceinline__ void copy_box(uint32_t shared, const void *map, int x, int y, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          shared),
      "l"(map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}

__device__ __forceinline__ float load_shared(uint32_t shared) {
  float v;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(shared) : "memory");
  return v;
}

__device__ __forceinline__ float4 load_shared_x4(uint32_t shared) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(shared)
               : "memory");
  return v;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// Change the registers of a warpgroup's threads. All its warps must call them.
template <int Count>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}
#endif

__device__ __forceinline__ void store_shared(uint32_t shared, float v) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(shared), "f"(v) : "memory");
}
__device__ __forceinline__ void store_shared_x4(uint32_t shared, float4 v) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}

// Orders the thread's stores to shared memory before TMA's accesses.
__device__ __forceinline__ void order_with_tma() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Loads from the same address in block `block` of the cluster.
__device__ __forceinline__ float4 load_cluster_x4(uint32_t shared, int block) {
  uint32_t there;
  float4 v;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared), "r"(block));
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(there)
               : "memory");
  return v;
}

// Waits for all threads of the cluster that have not exited; their writes are then visible.
__device__ __forceinline__ void synchronize_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Tells the compiler that `value` is the same in all lanes.
__device__ __forceinline__ int uniform(int value) { return __shfl_sync(~0u, value, 0); }

// `index` 0 is the barrier of __syncthreads().
__device__ __forceinline__ void synchronize_threads(int index, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(index), "r"(threads) : "memory");
}

__device__ __forceinline__ unsigned load_acquire(const unsigned *global) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(value) : "l"(global) : "memory");
  return value;
}
__device__ __forceinline__ void store_release(unsigned *global, unsigned value) {
  asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(global), "r"(value) : "memory");
}
#endif

// ---- Grids of a stream (sm_90): with launch_after() a grid starts while the previous one runs

// Waits for the end of the previous grid. Must come before the first access to global memory.
__device__ __forceinline__ void wait_for_grid_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ __forceinline__ void let_next_grid_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace libsgemm::cuda::ptx
