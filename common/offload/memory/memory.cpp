// Allocating, releasing and destroying streams may wait for the program's kernels, so it happens outside the lock. The
// bytes are counted before, so that the limits always hold. Returning a set or pieces allocates nothing.
#include <algorithm>
#include <new>

#include "memory_state.h"

namespace libsgemm {

using namespace caches;

namespace {

constexpr int kSetsOfDevice = 4;                // concurrent calls on a device; others wait
constexpr size_t kReserve = size_t{512} << 20;  // left free on a device by default
constexpr size_t kLeast = size_t{64} << 20;     // with less, products that do not fit are too slow
constexpr size_t kEvents = 64;

// Called without the lock.
void destroy(State *s, DeviceSet *set) noexcept {
  const Backend &b = *set->backend;
  if (usable(b) && can_give_back(b, set->device, set->context)) {
    for (void *event : set->events) b.destroy_event(set->device, event);
    for (void *stream : {set->up, set->compute, set->down}) {
      if (stream != nullptr) b.destroy_stream(set->device, stream);
    }
    if (set->memory != nullptr) b.release(set->device, set->memory);
  }
  const Lock lock(s->mutex);
  s->sets.remove_if([set](const DeviceSet &each) { return &each == set; });
  s->given.notify_all();
}

bool is_of(const DeviceSet &set, const Backend &backend, int device) {
  return set.backend == &backend && set.device == device;
}

size_t idle_bytes(const State &s, const Backend &backend, int device) {
  size_t bytes = 0;
  for (const DeviceSet &set : s.sets) {
    bytes += is_of(set, backend, device) && set.place == DeviceSet::idle ? set.bytes : 0;
  }
  return bytes;
}

size_t taken_bytes(const State &s, const Backend &backend, int device) {
  size_t bytes = 0;
  for (const DeviceSet &set : s.sets) {
    const bool taken = set.place == DeviceSet::used || set.place == DeviceSet::leaving;
    bytes += is_of(set, backend, device) && taken ? set.bytes : 0;
  }
  return bytes;
}

// The driver does not count these as free.
size_t allocated_bytes(const State &s, const Backend &backend, int device) {
  size_t bytes = 0;
  for (const DeviceSet &set : s.sets) {
    bytes += is_of(set, backend, device) && set.place != DeviceSet::lost ? set.there : 0;
  }
  return bytes;
}

void forget_sets(State *s, const Backend &backend, int device, uint64_t now) {
  s->sets.remove_if([&](const DeviceSet &set) {
    const bool idle = set.place == DeviceSet::idle || set.place == DeviceSet::lost;
    return is_of(set, backend, device) && idle && is_gone(set.context, now);
  });
}

DeviceSet *pick(State *s, const Backend &backend, int device, uint64_t context, size_t bytes) {
  DeviceSet *best = nullptr;
  for (DeviceSet &set : s->sets) {
    if (!is_of(set, backend, device) || set.context != context || set.place != DeviceSet::idle) continue;
    const bool better = best == nullptr || (best->bytes < bytes && set.bytes >= bytes) ||
                        (set.bytes >= bytes && set.bytes < best->bytes);
    if (better) best = &set;
  }
  return best;
}

// The largest idle sets give up memory first, until at most `most` is kept.
void shrink_idle(State *s, Lock *lock, const Backend &backend, int device, size_t most) {
  while (idle_bytes(*s, backend, device) > most) {
    DeviceSet *largest = nullptr;
    for (DeviceSet &set : s->sets) {
      const bool idle = is_of(set, backend, device) && set.place == DeviceSet::idle;
      if (idle && (largest == nullptr || set.bytes > largest->bytes)) largest = &set;
    }
    if (largest == nullptr) return;
    largest->place = DeviceSet::leaving;
    if (usable(backend)) {
      const Unlocked others(lock);
      backend.release(device, largest->memory);
    }
    largest->memory = nullptr;
    largest->bytes = largest->there = 0;
    largest->place = DeviceSet::idle;
    s->given.notify_all();
  }
}

libsgemm_status_t complete(DeviceSet *set, size_t events, Error *error) try {
  const Backend &b = *set->backend;
  for (void **stream : {&set->up, &set->compute, &set->down}) {
    if (*stream != nullptr) continue;
    const libsgemm_status_t status = b.create_stream(set->device, stream, error);
    if (status != LIBSGEMM_SUCCESS) return status;
  }
  set->events.reserve(events);
  while (set->events.size() < events) {
    void *event = nullptr;
    const libsgemm_status_t status = b.create_event(set->device, &event, error);
    if (status != LIBSGEMM_SUCCESS) return status;
    set->events.push_back(event);
  }
  return LIBSGEMM_SUCCESS;
} catch (const std::bad_alloc &) {
  set_error(error, "no host memory");
  return LIBSGEMM_OUT_OF_MEMORY;
}

// Called without the lock.
libsgemm_status_t enlarge(State *s, DeviceSet *set, size_t bytes, Error *error) {
  const Backend &b = *set->backend;
  if (set->memory != nullptr) b.release(set->device, set->memory);
  set->memory = nullptr;
  void *memory = nullptr;
  libsgemm_status_t status = b.allocate(set->device, bytes, &memory, error);
  if (status == LIBSGEMM_OUT_OF_MEMORY) {  // tries again without what idle sets hold
    {
      Lock lock(s->mutex);
      set->there = 0;
      known(s, b, set->device).asked = false;
      shrink_idle(s, &lock, b, set->device, 0);
    }
    status = b.allocate(set->device, bytes, &memory, error);
  }
  if (status != LIBSGEMM_SUCCESS) return status;
  set->memory = static_cast<char *>(memory);
  const Lock lock(s->mutex);
  set->there = bytes;
  return status;
}

}  // namespace

libsgemm_status_t device_budget(const Backend &backend, int device, size_t enough, size_t *bytes, Error *error) {
  State &s = state();
  const uint64_t now = context_of(backend, device);
  Lock lock(s.mutex);
  s.learn_limits();
  forget_sets(&s, backend, device, now);
  Device &d = known(&s, backend, device);
  const auto left = [&](size_t all) {
    const size_t taken = taken_bytes(s, backend, device);
    return all > taken ? all - taken : 0;
  };
  const auto from = [&](size_t there) { return there - std::min(kReserve, there / 4); };
  if (s.device_limit != 0) {
    *bytes = left(s.device_limit);
    return LIBSGEMM_SUCCESS;
  }
  for (const DeviceSet &set : s.sets) {
    const bool fits = is_of(set, backend, device) && set.context == now && set.bytes >= enough;
    if (fits && set.place == DeviceSet::idle) {
      *bytes = set.bytes;
      return LIBSGEMM_SUCCESS;
    }
  }
  // The recorded bytes may be outdated: they serve while they suffice and allocations succeed.
  if (!d.asked || from(left(d.there)) < enough) {
    const size_t before = allocated_bytes(s, backend, device);
    size_t free_bytes = 0, total = 0;
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    {
      const Unlocked others(&lock);
      status = backend.memory(device, &free_bytes, &total, error);
    }
    if (status != LIBSGEMM_SUCCESS) return status;
    d.there = free_bytes + std::min(before, allocated_bytes(s, backend, device));
    d.asked = true;
  }
  const size_t rest = from(left(d.there));
  *bytes = rest >= std::min(enough, kLeast) ? rest : 0;
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t take_set(const Backend &backend, int device, size_t bytes, size_t events, bool wait, DeviceSet **set,
                           Error *error) {
  State &s = state();
  const uint64_t now = context_of(backend, device);
  Lock lock(s.mutex);
  s.learn_limits();
  forget_sets(&s, backend, device, now);
  *set = nullptr;
  const auto full = [&] {
    const size_t taken = taken_bytes(s, backend, device);
    const bool over = s.device_limit != 0 && taken > 0 && taken + bytes > s.device_limit;
    return over || std::count_if(s.sets.begin(), s.sets.end(), [&](const DeviceSet &each) {
                     return is_of(each, backend, device) && each.place == DeviceSet::used;
                   }) >= kSetsOfDevice;
  };
  while (full()) {
    if (!wait) return LIBSGEMM_SUCCESS;
    s.given.wait(lock);
  }
  known(&s, backend, device);
  DeviceSet *mine = pick(&s, backend, device, now, bytes);
  if (mine == nullptr) {
    mine = &s.sets.emplace_back();
    mine->backend = &backend;
    mine->device = device;
    mine->context = now;
  }
  mine->place = DeviceSet::used;
  const bool enough = mine->there >= bytes;
  mine->bytes = std::max(mine->bytes, bytes);
  if (s.device_limit != 0) {
    const size_t taken = taken_bytes(s, backend, device);
    shrink_idle(&s, &lock, backend, device, s.device_limit > taken ? s.device_limit - taken : 0);
  }
  lock.unlock();
  libsgemm_status_t status = complete(mine, std::max(events, kEvents), error);
  if (status == LIBSGEMM_SUCCESS && !enough) status = enlarge(&s, mine, bytes, error);
  if (status == LIBSGEMM_SUCCESS) {
    *set = mine;
  } else {
    destroy(&s, mine);
  }
  return status;
}

void give_set(DeviceSet *set, Ending ending) noexcept {
  State &s = state();
  if (ending == Ending::failed) {
    destroy(&s, set);
    return;
  }
  const Backend &backend = *set->backend;
  const int device = set->device;
  Lock lock(s.mutex);
  set->place = ending == Ending::healthy ? DeviceSet::idle : DeviceSet::lost;
  s.given.notify_all();
  // This unlocks: the set may then be another call's, or gone.
  shrink_idle(&s, &lock, backend, device, s.device_limit != 0 ? s.device_limit : known(&s, backend, device).kept);
}

void set_memory_limits(size_t device_bytes, size_t pinned_bytes) {
  State &s = state();
  Lock lock(s.mutex);
  s.limits_known = true;
  s.device_limit = device_bytes;
  s.pinned_limit = pinned_bytes;
  shrink_pinned(&s, &lock, false);
  if (s.device_limit == 0) return;
  for (const Device &d : s.devices) shrink_idle(&s, &lock, *d.backend, d.device, s.device_limit);
}

MemoryState memory_state() {
  State &s = state();
  const Lock lock(s.mutex);
  s.learn_limits();
  size_t held = 0;
  for (const DeviceSet &set : s.sets) held += set.there;
  return {s.device_limit, held, s.pinned_most(), s.pinned_bytes};
}

void release_idle_memory() {
  State &s = state();
  Lock lock(s.mutex);
  for (;;) {
    const auto goes =
        std::find_if(s.sets.begin(), s.sets.end(), [](const DeviceSet &set) { return set.place == DeviceSet::idle; });
    if (goes == s.sets.end()) break;
    goes->place = DeviceSet::leaving;
    const Unlocked others(&lock);
    destroy(&s, &*goes);
  }
  shrink_pinned(&s, &lock, true);
}

}  // namespace libsgemm
