// Remote control of the mock GPU plugin: counters and faults.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mock {

enum Site : int {
  kAllocate,
  kCopy,
  kLaunch,
  kSynchronize,
  kScale,
  kEpilogue,
  kQuery,
  kPinned,
  kStream,  // creating a stream or event, recording an event, making a stream wait
  kMemory,
  kChecksum,
  kElements,
  kLoad,  // loading launch_in_steps()'s second kernel at its first use after unload()
  kWork,  // a device operation, whose failure loses the device
  kAny,   // each of the above except kWork
  kSiteCount
};

constexpr int kMostDevices = 4;

struct Control {
  // The n-th call from now fails (1: the next); 0: none.
  std::atomic<int> fail_at[kSiteCount];
  std::atomic<bool> fails_on;  // all calls from the failing one on fail
  std::atomic<int> calls[kSiteCount];
  std::atomic<int> fail_device;   // 1 + the failing device; 0: any
  std::atomic<int> flip_bit;      // 1 + the element of C whose top exponent bit the next launch flips; 0: none
  std::atomic<int64_t> bytes;     // device memory now
  std::atomic<int64_t> capacity;  // bytes of all devices, above which allocations fail; 0: unlimited
  std::atomic<int64_t> most_bytes;
  std::atomic<int64_t> pinned_bytes;
  std::atomic<int64_t> objects;    // streams and events, without those of the tests
  std::atomic<bool> fails_behind;  // a failing wait first completes the work
  std::atomic<bool> hangs;
  std::atomic<bool> together;  // device 0 does nothing until device 1 has a launch, or a fault occurs
  std::atomic<bool> hung[kMostDevices];
  std::atomic<int> unlike;                  // device (not 0) with another description and fewer kernels; 0: none
  std::atomic<int> slower;                  // device (not 0) with the same description and costlier kernels; 0: none
  std::atomic<bool> entered[kMostDevices];  // the library used it for more than describe_device()
  std::atomic<bool> lacks_conv;
  std::atomic<bool> has_syrk;
  std::atomic<double> groups_seconds;  // predicted time of a grouped launch (other kernels: 1 or 2); 0: none
  std::atomic<int> abandoned;
  std::atomic<int> launches[kMostDevices];
  std::atomic<int> probes;
  std::atomic<int> capturing_calls;  // allocations and synchronisations during a capture

  void (*use_device)(int device);  // initially 0
  // Allocates memory that the CPU cannot touch. The device becomes current, as in a program.
  void *(*allocate)(int device, size_t bytes);
  void *(*allocate_managed)(int device, size_t bytes);
  void (*release)(int device, void *memory);
  void (*read)(const void *device, void *host, size_t bytes);
  void (*write)(void *device, const void *host, size_t bytes);
  void *(*allocate_pinned)(size_t bytes);
  void (*release_pinned)(void *memory);
  // Repairs lost and hung devices; queues are empty.
  void (*repair)();
  // NULL: device 0's default stream.
  void *(*stream)(int device);
  void (*set_capturing)(void *stream, bool capturing);
  // `stream` records the same graph as `other`. A device's default stream is forbidden while another stream records.
  void (*join_capture)(void *stream, void *other);
  void (*set_default_capturing)(int device, bool capturing);
  void (*enqueue_copy)(void *stream, void *target, const void *source, size_t bytes);
  // Completes and destroys a program's stream; no thread may use it.
  void (*destroy_stream)(void *stream);
  // launch_in_steps()'s second kernel must be loaded again.
  void (*unload)();
  void (*destroy_graphs)();
  // Like cudaDeviceReset: the library's objects on the device are gone and must not be touched.
  void (*reset)(int device);
  void (*wake)(int device);
  // Counts queued copies of page-locked memory that is already released.
  int (*dangling)();
  int (*pending)(void *stream, int device);
};

constexpr const char *kControlSymbol = "mock_control";
using ControlEntry = Control *(*)();

}  // namespace mock
