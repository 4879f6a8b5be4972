// Memory, streams and events, kept between calls within the process's limits.
#pragma once

#include <cstddef>
#include <vector>

#include "contract/backend.h"

namespace libsgemm {

// Pageable if there is no page-locked memory.
struct PinnedPiece {
  char *memory;
  bool pinned;
};
constexpr size_t kPieceBytes = size_t{2} << 20;

// At most `wanted`; at least two, unless there is no host memory. `device` allocates new ones; all devices of the
// backend may use any piece.
std::vector<PinnedPiece> take_pieces(const Backend &backend, int device, int wanted);
// No device may still access them.
void give_pieces(const PinnedPiece *pieces, size_t count) noexcept;

// For one call at a time.
struct DeviceSet {
  const Backend *backend = nullptr;
  int device = 0;
  uint64_t context = 0;                                     // owns all of the set
  void *up = nullptr, *compute = nullptr, *down = nullptr;  // streams
  std::vector<void *> events;
  char *memory = nullptr;

  // Guarded by the cache's lock.
  enum Place : int8_t { idle, used, leaving, lost } place = used;
  size_t bytes = 0;  // size of `memory`, with bytes about to be allocated or released
  size_t there = 0;  // bytes allocated
};

// Bytes that a call may plan with: the limit, or the free memory less a reserve, less what other calls hold. Asks the
// driver only if no set of `enough` bytes is idle, and less was free at the last query.
libsgemm_status_t device_budget(const Backend &backend, int device, size_t enough, size_t *bytes, Error *error);

// Waits while other calls hold all that the limits allow. Without `wait`: SUCCESS with a NULL set.
libsgemm_status_t take_set(const Backend &backend, int device, size_t bytes, size_t events, bool wait, DeviceSet **set,
                           Error *error);
// failed: the device has no work left that uses the set. lost: it may still use the set, which is never touched again.
enum class Ending { healthy, failed, lost };
void give_set(DeviceSet *set, Ending ending) noexcept;

// Bytes; 0: the defaults. Take effect as memory is returned.
void set_memory_limits(size_t device_bytes, size_t pinned_bytes);
struct MemoryState {
  size_t device_limit, device_bytes;  // limit per device, 0: what is free; held on all devices
  size_t pinned_limit, pinned_bytes;
};
MemoryState memory_state();
void release_idle_memory();

}  // namespace libsgemm
