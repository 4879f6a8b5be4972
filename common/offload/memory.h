// Memory, streams and events that calls use and give back, kept between calls, within the limits of the process.
#pragma once

#include <cstddef>
#include <vector>

#include "contract/backend.h"

namespace libsgemm {

// A piece of page-locked memory for one copy; ordinary memory where none can be had.
struct PinnedPiece {
  char *memory;
  bool pinned;
};
constexpr size_t kPieceBytes = size_t{2} << 20;

// Up to `wanted` pieces, at least two; fewer bytes than asked for if memory is short. Empty: no memory at all. New ones
// are had through `device`, which the call uses; all of the backend's devices may use any.
std::vector<PinnedPiece> take_pieces(const Backend &backend, int device, int wanted);
// Only pieces that no device is going to write to or read from any more.
void give_pieces(const PinnedPiece *pieces, size_t count) noexcept;

// What one call at a time uses of a device.
struct DeviceSet {
  const Backend *backend = nullptr;
  int device = 0;
  uint64_t context = 0;                                     // to which all of it belongs
  void *up = nullptr, *compute = nullptr, *down = nullptr;  // streams
  std::vector<void *> events;
  char *memory = nullptr;

  // Known under the cache's lock.
  enum Place : int8_t { idle, used, leaving, lost } place = used;
  size_t bytes = 0;  // of memory, or of what is about to be allocated or released
  size_t there = 0;  // allocated
};

// Bytes that a call may plan with: the limit, or what is free but for a reserve, less what other calls hold. `enough`:
// bytes that suffice; if a set of that size is idle, or what was free when the device was last asked suffices, nobody
// is asked.
libsgemm_status_t device_budget(const Backend &backend, int device, size_t enough, size_t *bytes, Error *error);

// A set with at least `bytes` of memory and `events` events. Waits while other calls have all there may be, unless
// `wait` is false; then NULL with SUCCESS.
libsgemm_status_t take_set(const Backend &backend, int device, size_t bytes, size_t events, bool wait, DeviceSet **set,
                           Error *error);
// `healthy`: it may be used again. `failed`: nothing is at work there any more. `lost`: that cannot be shown, and
// nothing of it is touched any more.
enum class Ending { healthy, failed, lost };
void give_set(DeviceSet *set, Ending ending) noexcept;

// Limits in bytes; 0: the defaults. Take effect as memory is given back.
void set_memory_limits(size_t device_bytes, size_t pinned_bytes);
struct MemoryState {
  size_t device_limit, device_bytes;  // limit of each device, 0: what is free; held on all devices
  size_t pinned_limit, pinned_bytes;
};
MemoryState memory_state();
// Gives back what no call uses.
void release_idle_memory();

}  // namespace libsgemm
