// Remote control of the mock GPU plugin: what a test can see of it and break in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mock {

// Runtime calls at which a fault can be injected.
enum Site : int { kAllocate, kCopy, kLaunch, kSynchronize, kScale, kChecksum, kSiteCount };

struct Control {
  // The n-th call from now at this site fails (1: the next); 0: none does.
  std::atomic<int> fail_at[kSiteCount];
  std::atomic<int> calls[kSiteCount];
  std::atomic<int> flip_bit;   // 1 + element of C of which the next launch flips the top exponent bit; 0: none
  std::atomic<int64_t> bytes;  // of device memory allocated now
  std::atomic<int> probes;
  std::atomic<int> capturing_calls;  // allocations and synchronisations while a stream was capturing

  // Device memory for the test, which the CPU cannot touch outside of the mock's own functions.
  void *(*allocate)(int device, size_t bytes);
  void (*release)(int device, void *memory);
  void (*read)(const void *device, void *host, size_t bytes);
  void (*write)(void *device, const void *host, size_t bytes);
  // A stream of a device, and whether it records. NULL stream: the default stream of device 0.
  void *(*stream)(int device);
  void (*set_capturing)(void *stream, bool capturing);
  // Work enqueued and not yet done on a stream.
  int (*pending)(void *stream, int device);
};

constexpr const char *kControlSymbol = "mock_control";
using ControlEntry = Control *(*)();

}  // namespace mock
