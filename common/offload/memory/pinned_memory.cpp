#include <algorithm>
#include <cstdlib>
#include <new>

#include "memory_state.h"

namespace libsgemm {

using namespace caches;

namespace {

constexpr size_t kPiecesOfSegment = 8;

bool grow(State *s, Lock *lock, const Backend &backend, int device) {
  for (size_t pieces = kPiecesOfSegment; pieces > 0; pieces /= 2) {
    const size_t bytes = pieces * kPieceBytes;
    if (s->pinned_bytes + bytes > s->pinned_most()) continue;
    try {
      s->segments.push_back({&backend, device, 0, nullptr, pieces, 0});
    } catch (const std::bad_alloc &) {
      return false;
    }
    const auto made = std::prev(s->segments.end());
    s->pinned_bytes += bytes;
    void *memory = nullptr;
    Error ignored = {};
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    {
      const Unlocked others(lock);
      made->context = context_of(backend, device);
      status = backend.allocate_pinned(device, bytes, &memory, &ignored);
    }
    if (status == LIBSGEMM_SUCCESS) {
      made->memory = static_cast<char *>(memory);
      made->idle = made->all();
      return true;
    }
    s->pinned_bytes -= bytes;
    s->segments.erase(made);
  }
  return false;
}

// Releases through the device that allocated it or, if that is lost, another used one; without one the memory stays
// allocated.
void release_segment(State *s, Lock *lock, const Segment &x) {
  const auto release = [&](int device) {
    const Unlocked others(lock);
    if (device == x.device && is_gone(x.context, context_of(*x.backend, device))) return true;  // freed by the reset
    return x.backend->release_pinned(device, x.memory);
  };
  if (!usable(*x.backend) || release(x.device)) return;
  for (const Device &d : s->devices) {
    if (d.backend == x.backend && d.device != x.device && release(d.device)) return;
  }
}

void forget_segments(State *s, const Backend &backend) {
  s->segments.remove_if([&](const Segment &x) {
    const bool idle = x.backend == &backend && x.memory != nullptr && x.idle == x.all();
    if (!idle || !is_gone(x.context, context_of(backend, x.device))) return false;
    s->pinned_bytes -= x.bytes();
    return true;
  });
}

}  // namespace

void caches::shrink_pinned(State *s, Lock *lock, bool all) {
  for (;;) {
    const auto goes = std::find_if(s->segments.rbegin(), s->segments.rend(), [&](const Segment &x) {
      return x.idle == x.all() && (all || s->pinned_bytes > s->pinned_most());
    });
    if (goes == s->segments.rend()) return;
    const auto place = std::prev(goes.base());
    const Segment gone = *place;
    place->idle = 0;
    place->memory = nullptr;  // another call may get the same addresses before this leaves the list
    release_segment(s, lock, gone);
    s->pinned_bytes -= gone.bytes();
    s->segments.erase(place);
  }
}

std::vector<PinnedPiece> take_pieces(const Backend &backend, int device, int wanted) {
  State &s = state();
  std::vector<PinnedPiece> taken;
  taken.reserve(static_cast<size_t>(std::max(2, wanted)));
  Lock lock(s.mutex);
  s.learn_limits();
  forget_segments(&s, backend);
  // A call takes at most half of the rest: others get some.
  size_t idle = 0;
  for (const Segment &x : s.segments) idle += static_cast<size_t>(__builtin_popcount(x.idle)) * kPieceBytes;
  const size_t most = std::max(s.pinned_most(), s.pinned_bytes);
  const size_t left = (most - (s.pinned_bytes - idle)) / kPieceBytes;
  wanted = std::max(2, static_cast<int>(std::min<size_t>(static_cast<size_t>(wanted), left / 2)));
  while (static_cast<int>(taken.size()) < wanted) {
    const auto x = std::find_if(s.segments.begin(), s.segments.end(),
                                [&](const Segment &each) { return each.backend == &backend && each.idle != 0; });
    if (x == s.segments.end()) {
      if (grow(&s, &lock, backend, device)) continue;
      break;
    }
    const int piece = __builtin_ctz(x->idle);
    x->idle &= x->idle - 1;
    taken.push_back({x->memory + static_cast<size_t>(piece) * kPieceBytes, true});
  }
  while (taken.size() < 2) {
    auto *memory = static_cast<char *>(std::malloc(kPieceBytes));
    if (memory == nullptr) break;
    taken.push_back({memory, false});
  }
  return taken;
}

void give_pieces(const PinnedPiece *pieces, size_t count) noexcept {
  if (count == 0) return;
  State &s = state();
  Lock lock(s.mutex);
  for (size_t i = 0; i < count; ++i) {
    char *const piece = pieces[i].memory;
    if (!pieces[i].pinned) {
      std::free(piece);
      continue;
    }
    for (Segment &x : s.segments) {
      if (x.has(piece)) x.idle |= 1u << (static_cast<size_t>(piece - x.memory) / kPieceBytes);
    }
  }
  shrink_pinned(&s, &lock, false);
}

}  // namespace libsgemm
