// State of the memory caches, under one lock.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>

#include "memory.h"
#include "process/context.h"
#include "process/immortal.h"
#include "process/loader.h"

namespace libsgemm::caches {

constexpr size_t kDefaultPinned = size_t{256} << 20;
constexpr size_t kKeptShare = 16;  // at most this part of a device's memory is kept between calls

// Allocated through a device; any device of the backend can release them.
struct Segment {
  const Backend *backend;
  int device;
  uint64_t context;  // the memory vanishes with it
  char *memory;      // NULL: about to be allocated or released
  size_t pieces;
  unsigned idle;  // a bit per piece

  size_t bytes() const { return pieces * kPieceBytes; }
  unsigned all() const { return (1u << pieces) - 1; }
  bool has(const char *piece) const { return memory != nullptr && piece >= memory && piece < memory + bytes(); }
};

struct Device {
  const Backend *backend;
  int device;
  size_t kept;   // most bytes kept between calls
  bool asked;    // `there` is valid
  size_t there;  // bytes free or in sets
};

struct State {
  std::mutex mutex;
  std::condition_variable given;
  size_t device_limit = 0, pinned_limit = 0;  // 0: the default
  bool limits_known = false;
  std::list<Segment> segments;
  size_t pinned_bytes = 0;
  std::list<DeviceSet> sets;
  std::list<Device> devices;  // entries are never removed

  void learn_limits() {
    if (limits_known) return;
    limits_known = true;
    device_limit = library().env.device_memory_limit;
    pinned_limit = library().env.pinned_memory_limit;
  }
  size_t pinned_most() const { return pinned_limit != 0 ? pinned_limit : kDefaultPinned; }
};

inline State &state() { return immortal<State>(); }

using Lock = std::unique_lock<std::mutex>;

// True if a reset has destroyed what was made in `context`; `now` is the present one. Only a device's own contexts
// (odd) can be judged: one of the program may still exist.
inline bool is_gone(uint64_t context, uint64_t now) { return context % 2 == 1 && now % 2 == 1 && context != now; }

class Unlocked {
 public:
  explicit Unlocked(Lock *lock) : lock_(lock) { lock_->unlock(); }
  ~Unlocked() { lock_->lock(); }
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;

 private:
  Lock *lock_;
};

inline bool usable(const Backend &backend) {
  for (int i = 0; i < kBackendCount; ++i) {
    if (library().slots[i].table == &backend) return !lost_by_fork(i);
  }
  return false;
}

inline Device &known(State *s, const Backend &backend, int device) {
  for (Device &d : s->devices) {
    if (d.backend == &backend && d.device == device) return d;
  }
  libsgemm_device_info_t info = {};
  Error ignored = {};
  backend.describe_device(device, &info, &ignored);
  s->devices.push_back({&backend, device, static_cast<size_t>(info.memory_bytes) / kKeptShare, false, 0});
  return s->devices.back();
}

// Releases idle segments: all, or as many as exceed the limit.
void shrink_pinned(State *s, Lock *lock, bool all);

}  // namespace libsgemm::caches
