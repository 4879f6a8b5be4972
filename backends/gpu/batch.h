// Operands of a launch that computes several products: strided, or arrays of pointers in device or host memory. Arrays
// in host memory become kernel parameters, so that nothing has to be copied or kept.
//
//   template <typename Operands> __global__ void kernel(const __grid_constant__ Operands operands, Shape shape);
//
//   return for_chunks(desc, launch, INT32_MAX / tiles, [&](const auto &operands, int64_t count) {
//     auto *kernel = my_kernel<std::decay_t<decltype(operands)>>;  // calls a(i), b(i) and c(i), i < count
//     return launch_kernel(kernel, dim3(tiles * count), kThreads, 0, launch, error, operands, shape);
//   });
#pragma once

#include <algorithm>
#include <cstdint>

#include "contract/backend.h"
#include "contract/host_device.h"

namespace libsgemm::gpu {

// HIP counts the threads of a grid in 32 bits.
constexpr int64_t most_blocks(int threads) { return std::min<int64_t>(INT32_MAX, UINT32_MAX / threads); }

// AMD's compiler needs the cast to global memory in kernels that use read_anew() (gpu.h).
template <typename T>
LIBSGEMM_HOST_DEVICE T *listed(T *const *array, int64_t i) {
#if defined(__AMDGCN__)
  using Pointer = T *;
  return ((__attribute__((address_space(1))) const Pointer *)array)[i];
#else
  return array[i];
#endif
}

// If c_array is set, operands are given by pointers in device memory.
struct StridedOperands {
  const char *a_base, *b_base;
  float *c_base;
  int64_t a_bytes, b_bytes, c_elements;  // from one product to the next
  const void *const *a_array, *const *b_array;
  float *const *c_array;

  LIBSGEMM_HOST_DEVICE const void *a(int64_t i) const {
    return c_array != nullptr ? listed(a_array, i) : a_base + i * a_bytes;
  }
  LIBSGEMM_HOST_DEVICE const void *b(int64_t i) const {
    return c_array != nullptr ? listed(b_array, i) : b_base + i * b_bytes;
  }
  LIBSGEMM_HOST_DEVICE float *c(int64_t i) const {
    return c_array != nullptr ? listed(c_array, i) : c_base + i * c_elements;
  }
};

// Leaves 424 bytes of a kernel's 4 KiB of parameters for others.
struct ListedOperands {
  static constexpr int kMost = 153;
  const void *a_list[kMost], *b_list[kMost];
  float *c_list[kMost];

  LIBSGEMM_HOST_DEVICE const void *a(int64_t i) const { return a_list[i]; }
  LIBSGEMM_HOST_DEVICE const void *b(int64_t i) const { return b_list[i]; }
  LIBSGEMM_HOST_DEVICE float *c(int64_t i) const { return c_list[i]; }
};

// Calls enqueue(operands, count) for at most `most` products at a time, until one fails. Not for arrays in host memory.
// A routine without B must not call b(i).
template <typename Enqueue>
libsgemm_status_t for_strided_chunks(const GemmDesc &desc, int64_t most, const Enqueue &enqueue) {
  const bool arrays = desc.batch == Batch::pointers;
  StridedOperands all = {};
  if (desc.batch == Batch::strided) {
    const int64_t size = static_cast<int64_t>(size_of(desc.type));
    all.a_bytes = desc.stride_a * size;
    all.b_bytes = desc.stride_b * size;
    all.c_elements = desc.stride_c;
  }
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int64_t first = 0; first < desc.batch_count && status == LIBSGEMM_SUCCESS; first += most) {
    if (arrays) {
      if (desc.a_array != nullptr) all.a_array = desc.a_array + first;
      if (desc.b_array != nullptr) all.b_array = desc.b_array + first;
      all.c_array = desc.c_array + first;
    } else {
      if (desc.a != nullptr) all.a_base = static_cast<const char *>(desc.a) + first * all.a_bytes;
      if (desc.b != nullptr) all.b_base = static_cast<const char *>(desc.b) + first * all.b_bytes;
      all.c_base = desc.c + first * all.c_elements;
    }
    status = enqueue(all, std::min(most, desc.batch_count - first));
  }
  return status;
}

template <typename Enqueue>
libsgemm_status_t for_listed_chunks(const GemmDesc &desc, int64_t most, const Enqueue &enqueue) {
  ListedOperands list = {};
  most = std::min<int64_t>(most, ListedOperands::kMost);
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int64_t first = 0; first < desc.batch_count && status == LIBSGEMM_SUCCESS; first += most) {
    const int64_t count = std::min(most, desc.batch_count - first);
    if (desc.a_array != nullptr) std::copy_n(desc.a_array + first, count, list.a_list);
    if (desc.b_array != nullptr) std::copy_n(desc.b_array + first, count, list.b_list);
    std::copy_n(desc.c_array + first, count, list.c_list);
    status = enqueue(list, count);
  }
  return status;
}

template <typename Enqueue>
libsgemm_status_t for_chunks(const GemmDesc &desc, const Launch &launch, int64_t most, const Enqueue &enqueue) {
  const bool listed = desc.batch == Batch::pointers && !launch.arrays_on_device;
  return listed ? for_listed_chunks(desc, most, enqueue) : for_strided_chunks(desc, most, enqueue);
}

}  // namespace libsgemm::gpu
