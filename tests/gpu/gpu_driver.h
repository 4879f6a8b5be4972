// The runtime of the GPU under test: CUDA's driver, or HIP's runtime with other names. Opened at run time, so that
// tests build without a toolkit and are skipped without a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sgemm_test::gpu {

using Pointer = unsigned long long;  // CUdeviceptr, hipDeviceptr_t
using Handle = void *;
using HostFunction = void (*)(void *);

// (our name, CUDA's, HIP's, parameters). Functions return 0 for success.
#define SGEMM_TEST_GPU_FUNCTIONS(X)                                                                          \
  X(initialise, cuInit, hipInit, (unsigned flags))                                                           \
  X(count_devices, cuDeviceGetCount, hipGetDeviceCount, (int *count))                                        \
  X(allocate, cuMemAlloc_v2, hipMalloc, (Pointer * memory, size_t bytes))                                    \
  X(release, cuMemFree_v2, hipFree, (Pointer memory))                                                        \
  X(allocate_managed, cuMemAllocManaged, hipMallocManaged, (Pointer * memory, size_t bytes, unsigned flags)) \
  X(allocate_pinned, cuMemHostAlloc, hipHostMalloc, (void **memory, size_t bytes, unsigned flags))           \
  X(release_pinned, cuMemFreeHost, hipHostFree, (void *memory))                                              \
  X(memory_info, cuMemGetInfo_v2, hipMemGetInfo, (size_t * free_bytes, size_t * total_bytes))                \
  X(to_device, cuMemcpyHtoD_v2, hipMemcpyHtoD, (Pointer target, const void *source, size_t bytes))           \
  X(to_host, cuMemcpyDtoH_v2, hipMemcpyDtoH, (void *target, Pointer source, size_t bytes))                   \
  X(to_device_async, cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync,                                               \
    (Pointer target, const void *source, size_t bytes, Handle stream))                                       \
  X(to_host_async, cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync,                                                 \
    (void *target, Pointer source, size_t bytes, Handle stream))                                             \
  X(fill, cuMemsetD32_v2, hipMemsetD32, (Pointer memory, unsigned value, size_t count))                      \
  X(create_stream, cuStreamCreate, hipStreamCreateWithFlags, (Handle * stream, unsigned flags))              \
  X(destroy_stream, cuStreamDestroy_v2, hipStreamDestroy, (Handle stream))                                   \
  X(synchronize, cuStreamSynchronize, hipStreamSynchronize, (Handle stream))                                 \
  X(query, cuStreamQuery, hipStreamQuery, (Handle stream))                                                   \
  X(begin_capture, cuStreamBeginCapture_v2, hipStreamBeginCapture, (Handle stream, int mode))                \
  X(end_capture, cuStreamEndCapture, hipStreamEndCapture, (Handle stream, Handle * graph))                   \
  X(instantiate, cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags,                                  \
    (Handle * executable, Handle graph, unsigned long long flags))                                           \
  X(launch_graph, cuGraphLaunch, hipGraphLaunch, (Handle executable, Handle stream))                         \
  X(destroy_executable, cuGraphExecDestroy, hipGraphExecDestroy, (Handle executable))                        \
  X(destroy_graph, cuGraphDestroy, hipGraphDestroy, (Handle graph))

struct Driver {
#define SGEMM_TEST_GPU_MEMBER(name, cuda, hip, parameters) int(*name) parameters = nullptr;
  SGEMM_TEST_GPU_FUNCTIONS(SGEMM_TEST_GPU_MEMBER)
#undef SGEMM_TEST_GPU_MEMBER
};

constexpr int kNotReady = 600;  // returned by query()

// LIBSGEMM_TEST_BACKEND: "cuda" or "hip".
std::string backend();

// Backend cuda, or hip with LIBSGEMM_TEST_HIP_ON_CUDA=1.
bool on_nvidia();

// Why there is no GPU, or "". Initialises the driver, creates no context.
std::string missing();

// Requires an empty missing().
const Driver &driver();
int device_count();

void call_host(Handle stream, HostFunction function, void *argument);

// With CUDA the device's primary context becomes current.
void use_device(int device);

// The thread's context or NULL with cuda, its device with hip.
Handle current();

// NVIDIA only.
bool has_context(int device);
void reset_device(int device);

void require(int code, const char *call);

// Memory that the current device (initially the first) has or can access.
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

// Waits, since the driver's copy may outlast its call, and the tests' streams do not wait for the default one.
void upload(Pointer target, const void *source, size_t bytes);

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

}  // namespace sgemm_test::gpu
