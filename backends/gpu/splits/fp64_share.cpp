// A ring of counts for each device; kLaunches further launches overwrite an entry.
#include "fp64_share.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "gpu/launch.h"

namespace libsgemm::gpu {
namespace {

constexpr uint64_t kLaunches = 1024;
constexpr int kMostDevices = 64;
constexpr uint32_t kPending = ~0u;

struct Count {
  uint32_t by_warp[kCountingWarps];  // the device writes it
  std::atomic<uint64_t> ticket;
  std::atomic<int64_t> tiles;
};

// Never freed: kernels may write until the process ends.
struct Ring {
  std::atomic<uint64_t> launches;
  Count counts[kLaunches];
};
std::atomic<Ring *> rings[kMostDevices];

// A mapping shared with child processes does not move in a fork. NULL if there is no memory.
Ring *ring_of(int device) {
  if (device >= kMostDevices) return nullptr;
  Ring *ring = rings[device].load(std::memory_order_acquire);
  if (ring != nullptr) return ring;
  static std::mutex *mutex = new std::mutex;
  const std::lock_guard<std::mutex> lock(*mutex);
  ring = rings[device].load(std::memory_order_relaxed);
  if (ring != nullptr) return ring;
  void *memory = mmap(nullptr, sizeof(Ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  ring = static_cast<Ring *>(memory);
  rings[device].store(ring, std::memory_order_release);
  return ring;
}

struct Sum {
  int64_t tiles, left;
  bool pending;
};

void add(const Ring &ring, uint64_t ticket, Sum *sum) {
  const uint64_t used = std::min(ring.launches.load(std::memory_order_relaxed), kLaunches);
  for (uint64_t i = 0; i < used; ++i) {
    const Count &count = ring.counts[i];
    if (count.ticket.load(std::memory_order_acquire) != ticket) continue;
    const int64_t tiles = count.tiles.load(std::memory_order_relaxed);
    for (unsigned w = 0; w < counting_warps(tiles); ++w) {
      const uint32_t left = __atomic_load_n(&count.by_warp[w], __ATOMIC_RELAXED);
      sum->pending = sum->pending || left == kPending;
      sum->left += left;
    }
    sum->tiles += tiles;
  }
}

}  // namespace

uint32_t *count_fp64(uint64_t ticket, int64_t tiles, const Launch &launch) {
  if (ticket == 0 || launch.rehearsal) return nullptr;
  Ring *const ring = ring_of(launch.device);
  if (ring == nullptr) return nullptr;
  Count &count = ring->counts[ring->launches.fetch_add(1, std::memory_order_relaxed) % kLaunches];
  count.tiles.store(tiles, std::memory_order_relaxed);
  for (uint32_t &left : count.by_warp) __atomic_store_n(&left, kPending, __ATOMIC_RELAXED);
  count.ticket.store(ticket, std::memory_order_release);
  auto *const seen = static_cast<char *>(page_locked(launch.device, ring, sizeof(Ring)));
  if (seen == nullptr) return nullptr;
  return reinterpret_cast<uint32_t *>(seen + (reinterpret_cast<char *>(&count) - reinterpret_cast<char *>(ring)));
}

double fp64_share(uint64_t ticket) {
  Sum sum = {};
  for (const auto &ring : rings) {
    const Ring *const begun = ring.load(std::memory_order_acquire);
    if (begun != nullptr) add(*begun, ticket, &sum);
  }
  return sum.pending || sum.tiles == 0 ? -1 : static_cast<double>(sum.left) / static_cast<double>(sum.tiles);
}

}  // namespace libsgemm::gpu
