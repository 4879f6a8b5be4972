// Remote control of the mock GPU plugin: what a test can see of it and break in it.
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
  kStream,  // making one, or an event; recording an event, and waiting for it on a stream
  kMemory,  // asking for what is free
  kChecksum,
  kElements,
  kLoad,  // of the second kernel of the row in steps, at its first use after unload()
  kWork,  // no call: an operation of the device, which is lost by that
  kAny,   // each of the above but kWork
  kSiteCount
};

constexpr int kMostDevices = 4;

struct Control {
  // The n-th call from now at this site fails (1: the next); 0: none does.
  std::atomic<int> fail_at[kSiteCount];
  std::atomic<bool> fails_on;  // all behind the n-th call fail as well
  std::atomic<int> calls[kSiteCount];
  std::atomic<int> fail_device;       // 1 + device on which calls fail; 0: on any
  std::atomic<int> flip_bit;          // 1 + element of C of which the next launch flips the top exponent bit; 0: none
  std::atomic<int64_t> bytes;         // of device memory allocated now
  std::atomic<int64_t> capacity;      // of all devices together, beyond which allocations fail; 0: none
  std::atomic<int64_t> most_bytes;    // the most there were at a time
  std::atomic<int64_t> pinned_bytes;  // of page-locked memory allocated now
  std::atomic<int64_t> objects;       // streams and events there are now, but for the tests'
  std::atomic<bool> fails_behind;     // a wait that fails comes after the work that it waits for
  std::atomic<bool> hangs;            // the devices do no work any more
  std::atomic<bool> together;         // device 0 does nothing until device 1 has a launch, or a fault was met
  std::atomic<bool> hung[kMostDevices];
  std::atomic<int> unlike;  // device, not 0, of which the description differs, and rows lack on it; 0: none
  std::atomic<int> slower;  // device, not 0, with the same description on which rows cost more; 0: none
  std::atomic<bool> entered[kMostDevices];  // a call of the contract but describe_device() was for this device
  std::atomic<bool> lacks_conv;             // its row for convolutions takes none
  std::atomic<bool> has_syrk;               // it has rows for it; otherwise it lacks that routine
  std::atomic<double> groups_seconds;       // predicted of groups at once, where others take 1 or 2; 0: it has no row
  std::atomic<int> abandoned;               // devices given up
  std::atomic<int> launches[kMostDevices];
  std::atomic<int> probes;
  std::atomic<int> capturing_calls;  // allocations and synchronisations while a stream was capturing

  // The thread's current device; 0 to begin with.
  void (*use_device)(int device);
  // Device memory for the test, which the CPU cannot touch outside of the mock's own functions. As in a program, the
  // device is then the current one.
  void *(*allocate)(int device, size_t bytes);
  void *(*allocate_managed)(int device, size_t bytes);  // which it can touch
  void (*release)(int device, void *memory);
  void (*read)(const void *device, void *host, size_t bytes);
  void (*write)(void *device, const void *host, size_t bytes);
  // Page-locked memory for the test.
  void *(*allocate_pinned)(size_t bytes);
  void (*release_pinned)(void *memory);
  // After a device was lost or hung: it works again, with nothing to do.
  void (*repair)();
  // A stream of a device, and whether it records. NULL stream: the default stream of device 0.
  void *(*stream)(int device);
  void (*set_capturing)(void *stream, bool capturing);
  // Another stream that records the same graph; and whether a device's default stream must not be used, because of a
  // stream that records.
  void (*join_capture)(void *stream, void *other);
  void (*set_default_capturing)(int device, bool capturing);
  // A copy of the program's own, enqueued.
  void (*enqueue_copy)(void *stream, void *target, const void *source, size_t bytes);
  // A stream of the program's is gone, with its work done; nobody may use it any more.
  void (*destroy_stream)(void *stream);
  // The second kernel of the row that launches in steps has to be loaded again.
  void (*unload)();
  // The program destroys all graphs it has recorded so far.
  void (*destroy_graphs)();
  // cudaDeviceReset: all that the library has made on a device is gone, and must not be touched again.
  void (*reset)(int device);
  // A device that hung goes on, with all that it was given.
  void (*wake)(int device);
  // Copies still to be done from or to page-locked memory that has been released meanwhile.
  int (*dangling)();
  // Work enqueued and not yet done on a stream.
  int (*pending)(void *stream, int device);
};

constexpr const char *kControlSymbol = "mock_control";
using ControlEntry = Control *(*)();

}  // namespace mock
