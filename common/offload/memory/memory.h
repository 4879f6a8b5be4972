// Memory, streams and events that calls use and give back, kept between calls, within the limits of the process.
#pragma once

#include <cstddef>
#include <vector>

#include "contract/backend.h"

namespace libsgemm {

// A piece of page-locked memory for one copy, or of ordinary memory where page-locked memory is not available.
struct PinnedPiece {
  char *memory;
  bool pinned;
};
constexpr size_t kPieceBytes = size_t{2} << 20;

// Takes up to `wanted` pieces: fewer if memory is short, at least two, or fewer than two if there is no host memory at
// all. New ones are allocated through `device`, which the call uses; all devices of the backend may use any piece.
std::vector<PinnedPiece> take_pieces(const Backend &backend, int device, int wanted);
// Only pieces that no device is going to write to or read from any more.
void give_pieces(const PinnedPiece *pieces, size_t count) noexcept;

// Streams, events and memory of a device that one call uses at a time.
struct DeviceSet {
  const Backend *backend = nullptr;
  int device = 0;
  uint64_t context = 0;                                     // to which all of the set belongs
  void *up = nullptr, *compute = nullptr, *down = nullptr;  // streams
  std::vector<void *> events;
  char *memory = nullptr;

  // Guarded by the cache's lock.
  enum Place : int8_t { idle, used, leaving, lost } place = used;
  size_t bytes = 0;  // bytes of `memory`, including those about to be allocated or released
  size_t there = 0;  // bytes allocated
};

// Bytes that a call may plan with: the limit, or the free memory except a reserve, less what other calls hold.
// `enough`: bytes that suffice. The driver is not asked if a set of that size is idle, or if the bytes that were free
// when it was last asked suffice.
libsgemm_status_t device_budget(const Backend &backend, int device, size_t enough, size_t *bytes, Error *error);

// Takes a set with at least `bytes` of memory and `events` events. Waits while other calls hold all that the limits
// allow; if `wait` is false, returns SUCCESS with a NULL set instead.
libsgemm_status_t take_set(const Backend &backend, int device, size_t bytes, size_t events, bool wait, DeviceSet **set,
                           Error *error);
// `healthy`: the set may be used again. `failed`: the device has no work left that uses it. `lost`: the device may
// still use it, so nothing of it is touched any more.
enum class Ending { healthy, failed, lost };
void give_set(DeviceSet *set, Ending ending) noexcept;

// Limits in bytes; 0: the defaults. Take effect as memory is given back.
void set_memory_limits(size_t device_bytes, size_t pinned_bytes);
struct MemoryState {
  size_t device_limit, device_bytes;  // limit of each device, 0: what is free; held on all devices
  size_t pinned_limit, pinned_bytes;
};
MemoryState memory_state();
// Releases what no call uses.
void release_idle_memory();

}  // namespace libsgemm
