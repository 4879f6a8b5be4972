// Two caches under one lock: pieces of pinned memory, and sets of what a device needs.
#include "memory.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include "loader.h"

namespace libsgemm {
namespace {

constexpr int kSetsOfDevice = 4;        // calls at a time on one device; further ones wait
constexpr size_t kPiecesOfSegment = 8;  // allocated together
constexpr size_t kDefaultPinned = size_t{256} << 20;
constexpr size_t kReserve = size_t{512} << 20;  // left free on a device by default
constexpr size_t kLeast = size_t{64} << 20;     // with less, products that do not fit are too slow
constexpr size_t kKeptShare = 16;               // this part of a device's memory is kept between calls at most
constexpr size_t kEvents = 64;

struct Segment {
  const Backend *backend;
  char *memory;
  size_t pieces, idle;
};

struct State {
  std::mutex mutex;
  std::condition_variable given;
  size_t device_limit = 0, pinned_limit = 0;  // 0: the default
  bool limits_known = false;
  std::vector<Segment> segments;
  std::vector<std::pair<const Backend *, char *>> pieces;  // idle
  size_t pinned_bytes = 0;
  std::vector<DeviceSet *> idle, used, lost;

  void learn_limits() {
    if (limits_known) return;
    limits_known = true;
    device_limit = library().env.device_memory_limit;
    pinned_limit = library().env.pinned_memory_limit;
  }
  size_t pinned_most() const { return pinned_limit != 0 ? pinned_limit : kDefaultPinned; }
};

State &state() {
  static State *instance = new State;  // calls may come from exit handlers
  return *instance;
}

using Lock = std::unique_lock<std::mutex>;

// ---- Pinned memory

// One segment more, within the limit.
bool grow(State *s, const Backend &backend) {
  for (size_t pieces = kPiecesOfSegment; pieces > 0; pieces /= 2) {
    const size_t bytes = pieces * kPieceBytes;
    if (s->pinned_bytes + bytes > s->pinned_most()) continue;
    try {
      s->segments.reserve(s->segments.size() + 1);
      s->pieces.reserve(s->pieces.size() + kPiecesOfSegment);
    } catch (const std::bad_alloc &) {
      return false;
    }
    void *memory = nullptr;
    Error ignored = {};
    if (backend.allocate_pinned(bytes, &memory, &ignored) != LIBSGEMM_SUCCESS) continue;
    s->pinned_bytes += bytes;
    s->segments.push_back({&backend, static_cast<char *>(memory), pieces, pieces});
    for (size_t i = 0; i < pieces; ++i) s->pieces.emplace_back(&backend, static_cast<char *>(memory) + i * kPieceBytes);
    return true;
  }
  return false;
}

Segment *segment_of(State *s, const char *piece) {
  for (Segment &x : s->segments) {
    if (piece >= x.memory && piece < x.memory + x.pieces * kPieceBytes) return &x;
  }
  return nullptr;
}

int usable_index(const Backend &backend) {
  for (int i = 0; i < kBackendCount; ++i) {
    if (library().slots[i].table == &backend) return lost_by_fork(i) ? -1 : i;
  }
  return -1;
}

// Segments of which no piece is in use go back; all of them, or as many as are beyond the limit.
void shrink_pinned(State *s, bool all) {
  for (size_t i = s->segments.size(); i-- > 0;) {
    const Segment x = s->segments[i];
    if (x.idle < x.pieces || (!all && s->pinned_bytes <= s->pinned_most())) continue;
    const auto inside = [&](const std::pair<const Backend *, char *> &piece) {
      return piece.second >= x.memory && piece.second < x.memory + x.pieces * kPieceBytes;
    };
    s->pieces.erase(std::remove_if(s->pieces.begin(), s->pieces.end(), inside), s->pieces.end());
    s->segments.erase(s->segments.begin() + static_cast<std::ptrdiff_t>(i));
    s->pinned_bytes -= x.pieces * kPieceBytes;
    if (usable_index(*x.backend) >= 0) x.backend->release_pinned(x.memory);
  }
}

// ---- Sets

void destroy(DeviceSet *set) {
  const Backend &b = *set->backend;
  if (usable_index(b) >= 0) {
    for (void *event : set->events) b.destroy_event(set->device, event);
    for (void *stream : {set->up, set->compute, set->down}) {
      if (stream != nullptr) b.destroy_stream(set->device, stream);
    }
    if (set->memory != nullptr) b.release(set->device, set->memory);
  }
  delete set;
}

bool is_of(const DeviceSet *set, const Backend &backend, int device) {
  return set->backend == &backend && set->device == device;
}

size_t bytes_of(const std::vector<DeviceSet *> &sets, const Backend &backend, int device) {
  size_t bytes = 0;
  for (const DeviceSet *set : sets) bytes += is_of(set, backend, device) ? set->bytes : 0;
  return bytes;
}

int count_of(const std::vector<DeviceSet *> &sets, const Backend &backend, int device) {
  return static_cast<int>(
      std::count_if(sets.begin(), sets.end(), [&](const DeviceSet *set) { return is_of(set, backend, device); }));
}

// The smallest idle set that is large enough, else any; NULL if there is none.
DeviceSet *pick(State *s, const Backend &backend, int device, size_t bytes) {
  size_t best = s->idle.size();
  for (size_t i = 0; i < s->idle.size(); ++i) {
    if (!is_of(s->idle[i], backend, device)) continue;
    const bool better = best == s->idle.size() || (s->idle[best]->bytes < bytes && s->idle[i]->bytes >= bytes) ||
                        (s->idle[i]->bytes >= bytes && s->idle[i]->bytes < s->idle[best]->bytes);
    if (better) best = i;
  }
  if (best == s->idle.size()) return nullptr;
  DeviceSet *set = s->idle[best];
  s->idle.erase(s->idle.begin() + static_cast<std::ptrdiff_t>(best));
  return set;
}

void drop_memory(DeviceSet *set) {
  if (set->memory != nullptr && usable_index(*set->backend) >= 0) set->backend->release(set->device, set->memory);
  set->memory = nullptr;
  set->bytes = 0;
}

// Streams, events and memory that the set lacks.
libsgemm_status_t complete(State *s, DeviceSet *set, size_t bytes, size_t events, Error *error) {
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
  if (set->bytes >= bytes) return LIBSGEMM_SUCCESS;
  drop_memory(set);
  void *memory = nullptr;
  libsgemm_status_t status = b.allocate(set->device, bytes, &memory, error);
  if (status == LIBSGEMM_OUT_OF_MEMORY) {  // once more, without what idle sets hold
    for (DeviceSet *idle : s->idle) {
      if (is_of(idle, b, set->device)) drop_memory(idle);
    }
    status = b.allocate(set->device, bytes, &memory, error);
  }
  if (status != LIBSGEMM_SUCCESS) return status;
  set->memory = static_cast<char *>(memory);
  set->bytes = bytes;
  return status;
}

size_t kept_at_most(const State &s, const Backend &backend, int device) {
  if (s.device_limit != 0) return s.device_limit;
  libsgemm_device_info_t info = {};
  Error ignored = {};
  backend.describe_device(device, &info, &ignored);
  return info.memory_bytes / kKeptShare;
}

// Idle sets of a device give up their memory, the largest first, until no more than `most` is kept.
void shrink_idle(State *s, const Backend &backend, int device, size_t most) {
  while (bytes_of(s->idle, backend, device) > most) {
    DeviceSet *largest = nullptr;
    for (DeviceSet *set : s->idle) {
      if (is_of(set, backend, device) && (largest == nullptr || set->bytes > largest->bytes)) largest = set;
    }
    drop_memory(largest);
  }
}

}  // namespace

std::vector<PinnedPiece> take_pieces(const Backend &backend, int wanted) {
  State &s = state();
  std::vector<PinnedPiece> taken;
  taken.reserve(static_cast<size_t>(wanted));
  const Lock lock(s.mutex);
  s.learn_limits();
  // A call takes at most half of what there is left, so that there is some for others.
  const size_t idle = s.pieces.size() * kPieceBytes, most = std::max(s.pinned_most(), s.pinned_bytes);
  const size_t left = (most - (s.pinned_bytes - idle)) / kPieceBytes;
  wanted = std::max(2, static_cast<int>(std::min<size_t>(static_cast<size_t>(wanted), left / 2)));
  while (static_cast<int>(taken.size()) < wanted) {
    const auto mine = [&](const std::pair<const Backend *, char *> &piece) { return piece.first == &backend; };
    const auto piece = std::find_if(s.pieces.rbegin(), s.pieces.rend(), mine);
    if (piece == s.pieces.rend()) {
      if (grow(&s, backend)) continue;
      break;
    }
    taken.push_back({piece->second, true});
    --segment_of(&s, piece->second)->idle;
    s.pieces.erase(std::next(piece).base());
  }
  while (taken.size() < 2) {
    auto *memory = static_cast<char *>(std::malloc(kPieceBytes));
    if (memory == nullptr) break;
    taken.push_back({memory, false});
  }
  return taken;
}

void give_pieces(const Backend &backend, const std::vector<PinnedPiece> &pieces) {
  State &s = state();
  const Lock lock(s.mutex);
  for (const PinnedPiece &piece : pieces) {
    if (!piece.pinned) {
      std::free(piece.memory);
      continue;
    }
    ++segment_of(&s, piece.memory)->idle;
    s.pieces.emplace_back(&backend, piece.memory);  // within the capacity that grow() reserved
  }
  shrink_pinned(&s, false);
}

libsgemm_status_t device_budget(const Backend &backend, int device, size_t enough, size_t *bytes, Error *error) {
  State &s = state();
  const Lock lock(s.mutex);
  s.learn_limits();
  const size_t idle = bytes_of(s.idle, backend, device), used = bytes_of(s.used, backend, device);
  if (s.device_limit != 0) {
    *bytes = s.device_limit > used ? s.device_limit - used : 0;
    return LIBSGEMM_SUCCESS;
  }
  for (const DeviceSet *set : s.idle) {
    if (is_of(set, backend, device) && set->bytes >= enough) {
      *bytes = set->bytes;
      return LIBSGEMM_SUCCESS;
    }
  }
  size_t free_bytes = 0, total = 0;
  const libsgemm_status_t status = backend.memory(device, &free_bytes, &total, error);
  const size_t there = free_bytes + idle, rest = there - std::min(kReserve, there / 4);
  *bytes = rest >= std::min(enough, kLeast) ? rest : 0;
  return status;
}

libsgemm_status_t take_set(const Backend &backend, int device, size_t bytes, size_t events, bool wait, DeviceSet **set,
                           Error *error) {
  State &s = state();
  Lock lock(s.mutex);
  s.learn_limits();
  *set = nullptr;
  const auto full = [&] {
    const size_t used = bytes_of(s.used, backend, device);
    const bool over = s.device_limit != 0 && used > 0 && used + bytes > s.device_limit;
    return over || count_of(s.used, backend, device) >= kSetsOfDevice;
  };
  while (full()) {
    if (!wait) return LIBSGEMM_SUCCESS;
    s.given.wait(lock);
  }
  s.used.reserve(s.used.size() + 1);
  s.idle.reserve(s.idle.size() + s.used.size() + 1);
  s.lost.reserve(s.lost.size() + s.used.size() + 1);
  std::unique_ptr<DeviceSet, void (*)(DeviceSet *)> mine(pick(&s, backend, device, bytes), destroy);
  if (mine == nullptr) {
    mine.reset(new DeviceSet);
    mine->backend = &backend;
    mine->device = device;
  }
  if (s.device_limit != 0) {
    const size_t used = bytes_of(s.used, backend, device) + std::max(bytes, mine->bytes);
    shrink_idle(&s, backend, device, s.device_limit > used ? s.device_limit - used : 0);
  }
  const libsgemm_status_t status = complete(&s, mine.get(), bytes, std::max(events, kEvents), error);
  if (status != LIBSGEMM_SUCCESS) return status;
  s.used.push_back(mine.get());
  *set = mine.release();
  return status;
}

void give_set(DeviceSet *set, Ending ending) {
  State &s = state();
  const Lock lock(s.mutex);
  s.used.erase(std::find(s.used.begin(), s.used.end(), set));
  const Backend &backend = *set->backend;
  const int device = set->device;
  if (ending == Ending::healthy) {
    s.idle.push_back(set);
    shrink_idle(&s, backend, device, kept_at_most(s, backend, device));
  } else if (ending == Ending::failed) {
    destroy(set);
  } else {
    s.lost.push_back(set);  // within the capacity that take_set() reserved
  }
  s.given.notify_all();
}

void set_memory_limits(size_t device_bytes, size_t pinned_bytes) {
  State &s = state();
  const Lock lock(s.mutex);
  s.limits_known = true;
  s.device_limit = device_bytes;
  s.pinned_limit = pinned_bytes;
  shrink_pinned(&s, false);
  for (size_t i = 0; s.device_limit != 0 && i < s.idle.size(); ++i) {
    shrink_idle(&s, *s.idle[i]->backend, s.idle[i]->device, s.device_limit);
  }
}

MemoryState memory_state() {
  State &s = state();
  const Lock lock(s.mutex);
  s.learn_limits();
  size_t held = 0;
  for (const auto *sets : {&s.idle, &s.used, &s.lost}) {
    for (const DeviceSet *set : *sets) held += set->bytes;
  }
  return {s.device_limit, held, s.pinned_most(), s.pinned_bytes};
}

void release_idle_memory() {
  State &s = state();
  const Lock lock(s.mutex);
  for (DeviceSet *set : s.idle) destroy(set);
  s.idle.clear();
  shrink_pinned(&s, true);
}

}  // namespace libsgemm
