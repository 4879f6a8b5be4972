// The CUDA driver for the tests, opened at run time: they build without a toolkit and run, skipping, without a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sgemm_test::cuda {

using Pointer = unsigned long long;  // CUdeviceptr
using Handle = void *;               // CUcontext, CUstream, CUgraph, CUgraphExec
using HostFunction = void (*)(void *);

// The functions used, under their names in libcuda.so.1. All return 0 for success.
#define SGEMM_TEST_CUDA_FUNCTIONS(X)                                                            \
  X(cuInit, (unsigned flags))                                                                   \
  X(cuDeviceGetCount, (int *count))                                                             \
  X(cuDevicePrimaryCtxRetain, (Handle * context, int device))                                   \
  X(cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active))                     \
  X(cuCtxGetCurrent, (Handle * context))                                                        \
  X(cuCtxSetCurrent, (Handle context))                                                          \
  X(cuCtxSynchronize, ())                                                                       \
  X(cuMemAlloc_v2, (Pointer * memory, size_t bytes))                                            \
  X(cuMemFree_v2, (Pointer memory))                                                             \
  X(cuMemAllocManaged, (Pointer * memory, size_t bytes, unsigned flags))                        \
  X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                              \
  X(cuMemFreeHost, (void *memory))                                                              \
  X(cuMemGetInfo_v2, (size_t * free_bytes, size_t * total_bytes))                               \
  X(cuMemcpyHtoD_v2, (Pointer target, const void *source, size_t bytes))                        \
  X(cuMemcpyDtoH_v2, (void *target, Pointer source, size_t bytes))                              \
  X(cuMemcpyHtoDAsync_v2, (Pointer target, const void *source, size_t bytes, Handle stream))    \
  X(cuMemsetD32_v2, (Pointer memory, unsigned value, size_t count))                             \
  X(cuStreamCreate, (Handle * stream, unsigned flags))                                          \
  X(cuStreamDestroy_v2, (Handle stream))                                                        \
  X(cuStreamSynchronize, (Handle stream))                                                       \
  X(cuStreamQuery, (Handle stream))                                                             \
  X(cuLaunchHostFunc, (Handle stream, HostFunction function, void *argument))                   \
  X(cuStreamBeginCapture_v2, (Handle stream, int mode))                                         \
  X(cuStreamEndCapture, (Handle stream, Handle * graph))                                        \
  X(cuGraphInstantiateWithFlags, (Handle * executable, Handle graph, unsigned long long flags)) \
  X(cuGraphLaunch, (Handle executable, Handle stream))                                          \
  X(cuGraphExecDestroy, (Handle executable))                                                    \
  X(cuGraphDestroy, (Handle graph))

struct Driver {
#define SGEMM_TEST_CUDA_MEMBER(name, parameters) int(*name) parameters = nullptr;
  SGEMM_TEST_CUDA_FUNCTIONS(SGEMM_TEST_CUDA_MEMBER)
#undef SGEMM_TEST_CUDA_MEMBER
};

// Why there is no GPU to test on; empty if there is one. Initialises the driver and makes no context.
std::string missing();

// Only if nothing is missing.
const Driver &driver();
int device_count();

// Makes the primary context of a device current for the thread.
void use_device(int device);

// Throws with the call's name unless `code` is 0.
void require(int code, const char *call);

// Memory of the current device (the first, if the thread has none), or memory that it can reach.
class Memory {
 public:
  enum Kind { device, managed, pinned };
  explicit Memory(size_t bytes, Kind kind = device);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  Pointer address() const { return address_; }
  size_t bytes() const { return bytes_; }
  template <typename T>
  T *as(size_t byte_offset = 0) const {
    return reinterpret_cast<T *>(address_ + byte_offset);
  }

 private:
  size_t bytes_;
  Kind kind_;
  Pointer address_ = 0;
};

class Stream {
 public:
  enum Kind : unsigned { blocking = 0, non_blocking = 1 };
  explicit Stream(Kind kind = non_blocking);
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  operator Handle() const { return stream_; }

 private:
  Handle stream_ = nullptr;
};

}  // namespace sgemm_test::cuda
