// Remote control of the mock GPU plugin: what a test can read from it and inject into it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mock {

// Runtime calls at which a fault can be injected.
enum Site : int {
  kAllocate,
  kCopy,
  kLaunch,
  kSynchronize,
  kScale,
  kEpilogue,
  kQuery,
  kPinned,  // allocation of page-locked memory
  kStream,  // creating a stream or an event, recording an event, and making a stream wait for it
  kMemory,  // query of the free memory
  kChecksum,
  kElements,
  kLoad,  // loading the second kernel of launch_in_steps(), at its first use after unload()
  kWork,  // not a call: an operation of the device, whose failure loses the device
  kAny,   // each of the above except kWork
  kSiteCount
};

constexpr int kMostDevices = 4;

struct Control {
  // The n-th call from now at this site fails (1: the next); 0: none does.
  std::atomic<int> fail_at[kSiteCount];
  std::atomic<bool> fails_on;  // all calls after the n-th fail as well
  std::atomic<int> calls[kSiteCount];
  std::atomic<int> fail_device;       // 1 + device on which calls fail; 0: any
  std::atomic<int> flip_bit;          // 1 + element of C whose top exponent bit the next launch flips; 0: none
  std::atomic<int64_t> bytes;         // bytes of device memory allocated now
  std::atomic<int64_t> capacity;      // bytes of all devices together, above which allocations fail; 0: unlimited
  std::atomic<int64_t> most_bytes;    // peak of `bytes`
  std::atomic<int64_t> pinned_bytes;  // bytes of page-locked memory allocated now
  std::atomic<int64_t> objects;       // existing streams and events, without those of tests
  std::atomic<bool> fails_behind;     // a wait that fails first completes the work that it waits for
  std::atomic<bool> hangs;            // the devices do no work
  std::atomic<bool> together;         // device 0 does nothing until device 1 has a launch, or a fault occurs
  std::atomic<bool> hung[kMostDevices];
  std::atomic<int> unlike;  // device, not 0, with another description and fewer kernels; 0: none
  std::atomic<int> slower;  // device, not 0, with the same description, on which kernels cost more; 0: none
  std::atomic<bool> entered[kMostDevices];  // the device was used by a call of the contract other than
                                            // describe_device()
  std::atomic<bool> lacks_conv;             // its kernel for convolutions takes none
  std::atomic<bool> has_syrk;               // it has kernels for SYRK; otherwise it lacks that routine
  std::atomic<double> groups_seconds;       // predicted time of a grouped launch (other kernels: 1 or 2); 0: no kernel
                                            // for groups
  std::atomic<int> abandoned;               // number of abandoned devices
  std::atomic<int> launches[kMostDevices];
  std::atomic<int> probes;
  std::atomic<int> capturing_calls;  // allocations and synchronisations while a stream was capturing

  // Sets the thread's current device, which is 0 at first.
  void (*use_device)(int device);
  // Allocates device memory for the test, which the CPU cannot touch outside of the mock's own functions. The device
  // becomes the current one, as in a program.
  void *(*allocate)(int device, size_t bytes);
  void *(*allocate_managed)(int device, size_t bytes);  // the CPU can touch it
  void (*release)(int device, void *memory);
  void (*read)(const void *device, void *host, size_t bytes);
  void (*write)(void *device, const void *host, size_t bytes);
  // Page-locked memory for the test.
  void *(*allocate_pinned)(size_t bytes);
  void (*release_pinned)(void *memory);
  // Makes lost and hung devices work again, with empty queues.
  void (*repair)();
  // Creates a stream of a device; starts or ends its recording of a graph. NULL: the default stream of device 0.
  void *(*stream)(int device);
  void (*set_capturing)(void *stream, bool capturing);
  // Makes `stream` record the same graph as `other`; sets whether a device's default stream must not be used because
  // another stream records.
  void (*join_capture)(void *stream, void *other);
  void (*set_default_capturing)(int device, bool capturing);
  // Enqueues a copy of the program's own.
  void (*enqueue_copy)(void *stream, void *target, const void *source, size_t bytes);
  // Completes the work of a stream of the program's and destroys it; no thread may use it any more.
  void (*destroy_stream)(void *stream);
  // Makes the library load the second kernel of launch_in_steps() again.
  void (*unload)();
  // Destroys all graphs that the program has recorded so far.
  void (*destroy_graphs)();
  // Acts as cudaDeviceReset: all objects of the library on a device are gone, and must not be touched again.
  void (*reset)(int device);
  // Lets a hung device continue; it completes all its work.
  void (*wake)(int device);
  // Counts queued copies from or to page-locked memory that is already released.
  int (*dangling)();
  // Counts the operations queued on a stream.
  int (*pending)(void *stream, int device);
};

constexpr const char *kControlSymbol = "mock_control";
using ControlEntry = Control *(*)();

}  // namespace mock
